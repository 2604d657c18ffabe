import { AppError } from '../../../domain/errors.ts';
import type { JsonObject } from '../../../domain/json.ts';
import type { ServerConfig } from '../../../domain/server-config.ts';
import type { ServerManifest, ServerPins } from '../../../domain/server-manifest.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { ServerRow, ServerStore } from '../../../servers/ports.ts';
import type { Database, Transaction } from '../database.ts';
import { appendEvents } from '../event-log.ts';

interface Row {
  config: string;
  stopped_by_hand: number;
  created_at: number;
  manifest: string | null;
  pins: string | null;
}

/** A server says it again when it is connected again. */
const NOT_DURABLE = { durable: false };

export function createServerStore(db: Database, clock: Clock): ServerStore {
  function tell(tx: Transaction, id: string, type: string, data: JsonObject = {}): void {
    appendEvents(tx, [{ type, subject: id, data: { ...data, server: id } }], clock.now());
  }

  return {
    list: () => db.read((reader) => reader.all<Row>('select * from servers order by position').map(toServer)),
    add: (config) =>
      db.write((tx) => {
        const added = tx.run(
          'insert into servers (id, config, created_at) values (?, ?, ?) on conflict (id) do nothing',
          config.id,
          JSON.stringify(config),
          clock.now(),
        );
        if (added === 0) throw new AppError('CONFLICT', 'A server with this id already exists.', { field: 'name' });
        tell(tx, config.id, 'server.added');
      }),
    change: (config) =>
      db.write((tx) => {
        const changed = tx.run('update servers set config = ? where id = ?', JSON.stringify(config), config.id) > 0;
        if (changed) tell(tx, config.id, 'server.changed');
        return changed;
      }),
    remove: (id) =>
      db.write((tx) => {
        const removed = tx.run('delete from servers where id = ?', id) > 0;
        if (removed) tell(tx, id, 'server.removed');
        return removed;
      }),
    setStoppedByHand: (id, stoppedByHand) =>
      db.write((tx) => void tx.run('update servers set stopped_by_hand = ? where id = ?', Number(stoppedByHand), id)),
    saveManifest: (id, manifest, pins) =>
      db.write((tx) => {
        tx.run(
          'update servers set manifest = ?, pins = ? where id = ?',
          JSON.stringify(manifest),
          JSON.stringify(pins),
          id,
        );
        tell(tx, id, 'server.offer', { tools: manifest.tools.length });
      }),
    note: (id, events) =>
      db.write((tx) => {
        for (const { type, data } of events) tell(tx, id, type, data);
      }, NOT_DURABLE),
  };
}

function toServer(row: Row): ServerRow {
  return {
    config: JSON.parse(row.config) as ServerConfig,
    stoppedByHand: row.stopped_by_hand !== 0,
    createdAt: row.created_at,
    ...(row.manifest === null ? {} : { manifest: JSON.parse(row.manifest) as ServerManifest }),
    ...(row.pins === null ? {} : { pins: JSON.parse(row.pins) as ServerPins }),
  };
}
