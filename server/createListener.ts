import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { describeFailure } from '../router/index.ts';
import type { AppDeps } from './app.ts';
import { createFront } from './front/createFront.ts';
import { createWriteAnswer } from './front/writeAnswer.ts';
import { docsUrlOf } from './http/docsUrlOf.ts';
import { toRefusal } from './http/wireAnswer.ts';
import { type Sale, sell } from './surfaces/sell.ts';

type LoadApp = (deps: AppDeps, sale: Sale) => Promise<RequestListener>;

/** Express with the pages, the documents and all that they are made of: a third of the service's code. */
const loadExpress: LoadApp = async (deps, sale) => (await import('./app.ts')).createApp(deps, sale);

/**
 * What answers requests. What is asked for most goes a shorter way, and comes out the same to the byte; Express is
 * loaded for the first request that needs it, and where that fails the next one tries again.
 */
export function createListener(deps: AppDeps, loadApp: LoadApp = loadExpress): RequestListener {
  const docsUrl = docsUrlOf(deps);
  const sale = sell({ ...deps, docsUrl });
  const front = createFront({ ...deps, sale, docsUrl });
  const writeAnswer = createWriteAnswer(deps.baseUrl);
  let app: RequestListener | undefined;
  let loading: Promise<void> | undefined;

  async function load(): Promise<void> {
    app = await loadApp(deps, sale);
  }

  async function answerOnceLoaded(req: IncomingMessage, res: ServerResponse): Promise<void> {
    loading ??= load();
    try {
      await loading;
    } catch (thrown) {
      loading = undefined;
      const requestId = randomUUID();
      deps.logger.error({ requestId, err: thrown }, 'request failed');
      const facts = { place: undefined, target: req.url ?? '', requestId, docsUrl };
      writeAnswer(res, requestId, [], toRefusal(describeFailure(thrown), facts));
      return;
    }
    app?.(req, res);
  }

  return (req, res) => {
    if (front(req, res)) return;
    if (app) app(req, res);
    else void answerOnceLoaded(req, res);
  };
}
