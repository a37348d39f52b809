import type { RequestHandler } from 'express';
import type { McpDeps } from './serveMcp.ts';

/** `serveMcp`, whose packages are loaded with the first MCP request. After a failed load the next request tries again. */
export function loadMcp(deps: McpDeps): RequestHandler {
  let loading: Promise<ReturnType<typeof import('./serveMcp.ts')['serveMcp']>> | undefined;
  return async (req, res) => {
    loading ??= import('./serveMcp.ts').then(({ serveMcp }) => serveMcp(deps));
    const serve = await loading.catch((thrown) => {
      loading = undefined;
      throw thrown;
    });
    await serve(req, res);
  };
}
