import type { Request, Response } from 'express';
import type { McpDeps } from './serveMcp.ts';

/** `serveMcp`, whose packages are loaded with the first one who speaks it. */
export function speakMcp(deps: McpDeps): (req: Request, res: Response) => Promise<void> {
  let loading: Promise<(req: Request, res: Response) => Promise<void>> | undefined;
  return async (req, res) => {
    loading ??= import('./serveMcp.ts').then(({ serveMcp }) => serveMcp(deps));
    await (await loading)(req, res);
  };
}
