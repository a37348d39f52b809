import type { RequestHandler } from 'express';
import type { McpDeps } from './serveMcp.ts';

/** Loads `serveMcp` and its packages with the first MCP request. The next request retries a failed load. */
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
