import type { OpenCapability } from '../capability.ts';
import { addServer } from './operations/add-server.ts';
import { callTool } from './operations/call-tool.ts';
import { changeServer } from './operations/change-server.ts';
import { createServer } from './operations/create-server.ts';
import { findProvider } from './operations/find-provider.ts';
import { getServer } from './operations/get-server.ts';
import { getStatus } from './operations/get-status.ts';
import { importServers } from './operations/import-servers.ts';
import { installServer } from './operations/install-server.ts';
import { disableServer, enableServer, restartServer, startServer, stopServer } from './operations/lifecycle.ts';
import { listServers } from './operations/list-servers.ts';
import { listTools } from './operations/list-tools.ts';
import { loginServer, logoutServer } from './operations/login-server.ts';
import { removeServer } from './operations/remove-server.ts';
import { reviewServer } from './operations/review-server.ts';
import { searchRegistry } from './operations/search-registry.ts';
import { serverLogs } from './operations/server-logs.ts';
import { setServerSecret } from './operations/set-server-secret.ts';
import { shutdownServers } from './operations/shutdown-servers.ts';
import { updateServer } from './operations/update-server.ts';
import { serversStatus } from './status.ts';

/** What servers offer themselves; here, because the build evaluates what this file imports when it is first used. */
export const serverOffer: Pick<OpenCapability, 'operations' | 'status'> = {
  status: serversStatus,
  operations: [
    listServers,
    getServer,
    getStatus,
    addServer,
    changeServer,
    createServer,
    updateServer,
    removeServer,
    startServer,
    stopServer,
    restartServer,
    enableServer,
    disableServer,
    shutdownServers,
    listTools,
    findProvider,
    callTool,
    setServerSecret,
    searchRegistry,
    installServer,
    importServers,
    loginServer,
    logoutServer,
    serverLogs,
    reviewServer,
  ],
};
