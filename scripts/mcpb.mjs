// `npm run build -- mcpb`: the bundle for Claude Desktop, `agent-switchboard.mcpb`, from what was built.
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root } from './checkout.mjs';

/** Claude Desktop starts it like any other assistant; the daemon is shared with them. */
function manifestOf({ name, version, description, license, engines }) {
  return {
    manifest_version: '0.3',
    name,
    display_name: 'Switchboard',
    version,
    description,
    author: { name: 'Switchboard' },
    license,
    server: {
      type: 'node',
      entry_point: 'dist/cli.js',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: Claude Desktop replaces it
      mcp_config: { command: 'node', args: ['${__dirname}/dist/cli.js', 'mcp'], env: {} },
    },
    // What is offered depends on what is configured.
    tools_generated: true,
    prompts_generated: true,
    keywords: ['chat', 'email', 'mcp'],
    compatibility: { platforms: ['darwin', 'linux'], runtimes: { node: engines.node } },
  };
}

/** Packs `dist` with the official tool, which checks the manifest. Returns the path of the bundle. */
export async function buildMcpb(target = join(root, 'agent-switchboard.mcpb')) {
  const about = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  // Late: a build without the bundle does not need it.
  const { packExtension } = await import('@anthropic-ai/mcpb');
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-mcpb-'));
  try {
    const dist = join(root, 'dist');
    for (const file of readdirSync(dist).filter((name) => !name.endsWith('.map'))) {
      cpSync(join(dist, file), join(folder, 'dist', file), { recursive: true });
    }
    cpSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
    const { name, version, type } = about;
    write(join(folder, 'package.json'), { name, version, type });
    write(join(folder, 'manifest.json'), manifestOf(about));
    if (!(await packExtension({ extensionPath: folder, outputPath: target, silent: true }))) {
      throw new Error('The bundle for Claude Desktop could not be packed.');
    }
    return target;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function write(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`);
}
