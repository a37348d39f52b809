import type { Request, Response } from 'express';
import type { McpDeps } from './serveMcp.ts';

/** `serveMcp`, whose packages are loaded with the first one who speaks it; where that fails the next one tries again. */
export function speakMcp(deps: McpDeps): (req: Request, res: Response) => Promise<void> {
  let loading: Promise<(req: Request, res: Response) => Promise<void>> | undefined;
  return async (req, res) => {
    loading ??= import('./serveMcp.ts').then(({ serveMcp }) => serveMcp(deps));
    const speak = await loading.catch((thrown) => {
      loading = undefined;
      throw thrown;
    });
    await speak(req, res);
  };
}
