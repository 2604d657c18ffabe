import type { LogLine } from './log-line.ts';
import type { Stamp } from './log-stamp.ts';

/** What the beginning of a log shows about the whole. */
export interface LogFindings {
  /** Lines in a known format, and lines in none; empty lines are neither. */
  fitting: number;
  unknown: number;
  /** Of the unknown ones: they begin with a time. */
  timed: number;
  /** Lines that somebody wrote. */
  said: number;
  clock: 'twelve' | 'twenty_four' | 'open';
  /** The channel that the server's lines name. */
  channel?: string;
}

export interface LogSurvey {
  add(line: LogLine): void;
  findings(): LogFindings;
}

const HOUR = 3_600;
/** As in `log-clock.ts`: clocks are set back by an hour. */
const STEP_BACK = 2 * HOUR;
const MAX_CHANNELS = 100;

/** `isOfOneDay`: the log is named after its day. */
export function createLogSurvey(isOfOneDay: boolean): LogSurvey {
  const channels = new Map<string, number>();
  let [fitting, unknown, timed, said] = [0, 0, 0, 0];
  let [hasOtherHours, restarts] = [false, false];
  let last: { day: string; seconds: number } | undefined;

  /** Hours from 1 to 12 only, which begin again in the middle of a day. */
  function addTime({ hour, minute, second, date, isOfHalf }: Stamp): void {
    hasOtherHours ||= isOfHalf === true || hour === 0 || hour > 12;
    const day = date === undefined ? '' : Object.values(date).join(' ');
    const seconds = (hour * 60 + minute) * 60 + second;
    if (last?.day === day && seconds < last.seconds) {
      const stepBack = last.seconds - seconds;
      const isTwelveToOne = last.seconds >= 12 * HOUR && hour === 1 && 12 * HOUR - stepBack < HOUR;
      restarts ||= isTwelveToOne || (isOfOneDay && date === undefined && stepBack > STEP_BACK);
      // Lines with dates can be out of order, which says nothing about the clock.
      hasOtherHours ||= date !== undefined && !isTwelveToOne && stepBack > STEP_BACK;
    }
    last = { day, seconds };
  }

  function addChannel(name: string): void {
    const before = channels.get(name);
    if (before !== undefined || channels.size < MAX_CHANNELS) channels.set(name, (before ?? 0) + 1);
  }

  return {
    add(line) {
      if (line.kind === 'blank') return;
      if (line.kind === 'unknown') unknown += 1;
      else fitting += 1;
      if (line.kind === 'unknown' && line.isTimed === true) timed += 1;
      if (line.kind === 'said') said += 1;
      if (line.kind === 'day') last = undefined;
      if (line.kind === 'chat') addChannel(line.name);
      if ('channel' in line && line.channel !== undefined) addChannel(line.channel);
      if ('stamp' in line && line.stamp) addTime(line.stamp);
    },
    findings() {
      const [channel] = [...channels].toSorted(([, a], [, b]) => b - a)[0] ?? [];
      return {
        fitting,
        unknown,
        timed,
        said,
        clock: hasOtherHours ? 'twenty_four' : restarts ? 'twelve' : 'open',
        ...(channel === undefined ? {} : { channel }),
      };
    },
  };
}
