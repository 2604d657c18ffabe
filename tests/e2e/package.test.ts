import assert from 'node:assert/strict';
import { type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { rpcOverLines } from '../support/mcp/rpc-lines.ts';
import { removeHome } from '../support/mcp/shim-program.ts';
import { startRegistry } from '../support/package/registry.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dirname, '..', '..');
const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

describe('the package', () => {
  const folder = temporaryFolder(after);
  const home = join(folder, 'switchboard-home');
  const user = join(folder, 'user');
  const tarball = join(folder, `${about.name}-${about.version}.tgz`);
  let registry: Awaited<ReturnType<typeof startRegistry>>;

  /** As for a user who has nothing but Node and npm. */
  const environment = () => ({
    PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}`,
    HOME: user,
    SWITCHBOARD_HOME: home,
    npm_config_cache: join(folder, 'npm-cache'),
    npm_config_registry: registry?.url ?? 'http://127.0.0.1:9',
    npm_config_update_notifier: 'false',
    npm_config_fetch_retries: '0',
  });

  async function run(command: string, args: readonly string[], options: SpawnOptions = {}) {
    const child = spawn(command, args, {
      env: environment(),
      cwd: user,
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout as NodeJS.ReadableStream),
      text(child.stderr as NodeJS.ReadableStream),
      once(child, 'close'),
    ]);
    return { code, stdout, stderr };
  }

  before(async () => {
    mkdirSync(user);
    const packed = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: root });
    assert.equal(packed.code, 0, packed.stderr);
    registry = await startRegistry(tarball, about);
  });
  after(async () => {
    await registry?.stop();
    removeHome(home);
  });

  test('contains the program and its documentation, and nothing runs when it is installed', async () => {
    const { stdout } = await run('tar', ['-tzf', tarball]);

    const files = stdout.trim().split('\n');
    const tops = new Set(files.map((file) => file.split('/')[1]));
    assert.deepEqual([...tops].sort(), ['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'docs', 'package.json']);
    assert.deepEqual(
      files.filter((file) => file.endsWith('.map')),
      [],
    );
    for (const bin of Object.values<string>(about.bin)) assert.equal(files.includes(`package/${bin}`), true, bin);
    assert.deepEqual(
      [about.dependencies, about.scripts.install, about.scripts.postinstall],
      [undefined, undefined, undefined],
    );
  });

  test('is installed without a registry, and serves its tools', async () => {
    const prefix = join(folder, 'installed');
    const args = ['install', '--offline', '--omit=optional', '--no-audit', '--no-fund', '--prefix', prefix, tarball];
    const installed = await run('npm', args);

    const bin = join(prefix, 'node_modules', '.bin');
    const version = await run(join(bin, 'switchboard'), ['--version']);
    const connected = await run(join(bin, 'agent-switchboard'), ['connect', 'cursor', '--print']);

    assert.equal(installed.code, 0, installed.stderr);
    assert.equal(version.stdout, `${about.version}\n`);
    const { command, args: line } = JSON.parse(connected.stdout).mcpServers.switchboard;
    assert.equal(command, process.execPath);
    assert.equal(line[0].startsWith(prefix), true, line[0]);
    assert.equal((await toolsOf(command, line)).length > 5, true);
    assert.match((await run(join(bin, 'agentmail'), ['--help'])).stdout, /agentmail/);
  });

  test('connect from npx writes an entry that works when the cache of npx is gone', async () => {
    const npx = ['-y', `${about.name}@${about.version}`];
    const connected = await run('npx', [...npx, 'connect', 'cursor']);
    assert.equal(connected.code, 0, connected.stderr);
    const { command, args } = JSON.parse(readFileSync(join(user, '.cursor', 'mcp.json'), 'utf8')).mcpServers
      .switchboard;
    rmSync(join(folder, 'npm-cache'), { recursive: true });

    const tools = await toolsOf(command, args);
    const hooks = await run('npx', [...npx, 'connect', 'codex', '--agentmail']);
    const service = await run('npx', [...npx, 'service', 'install']);

    assert.deepEqual(args, [...npx, 'mcp']);
    assert.match(command, /(?:^|\/)npx$/);
    assert.equal(tools.length > 5, true);
    for (const { code, stderr } of [hooks, service]) {
      assert.equal(code, 1);
      assert.match(stderr, /runs from the cache of npx.*\n.*npm install -g agent-switchboard/);
    }
    assert.equal(existsSync(join(user, '.codex')), false);
  });

  test('the bundle for Claude Desktop passes the official check, and serves its tools', async () => {
    const bundle = join(folder, 'switchboard.mcpb');
    const unpacked = join(folder, 'unpacked');
    const script = join(root, 'scripts', 'mcpb.mjs');
    const code = `const { buildMcpb } = await import(${JSON.stringify(script)}); await buildMcpb(${JSON.stringify(bundle)});`;
    const built = await run(process.execPath, ['--input-type=module', '-e', code]);
    const mcpb = (...args: string[]) => run(join(root, 'node_modules', '.bin', 'mcpb'), args);

    const extracted = await mcpb('unpack', bundle, unpacked);
    const checked = await mcpb('validate', join(unpacked, 'manifest.json'));

    assert.deepEqual([built.code, extracted.code, checked.code], [0, 0, 0], built.stderr + checked.stderr);
    const manifest = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8'));
    const { args } = manifest.server.mcp_config;
    assert.equal(manifest.version, about.version);
    assert.equal(existsSync(join(unpacked, manifest.server.entry_point)), true);
    assert.deepEqual(readdirSync(unpacked).sort(), ['LICENSE', 'dist', 'manifest.json', 'package.json']);
    const line = args.map((word: string) => word.replace(/^\$\{__dirname\}/, unpacked));
    assert.equal((await toolsOf(process.execPath, line)).length > 5, true);
  });

  /** Starts a server as an assistant does, and lists its tools. */
  async function toolsOf(command: string, args: readonly string[]): Promise<unknown[]> {
    const child = spawn(command, args, { env: environment(), cwd: user, stdio: ['pipe', 'pipe', 'inherit'] });
    const client = rpcOverLines(child.stdin, child.stdout);
    await client.initialize();
    const { result } = await client.call('tools/list');
    client.end();
    await once(child, 'close');
    return (result as { tools: unknown[] }).tools;
  }
});
