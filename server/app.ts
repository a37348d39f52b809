import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Engine, PretradeChecker } from '../engine/index.ts';
import { RequestError, type SandboxBody } from '../router/index.ts';
import { allowBrowsers } from './http/allowBrowsers.ts';
import { docsUrlOf } from './http/docsUrlOf.ts';
import { keepTls } from './http/keepTls.ts';
import { knowPlace } from './http/knowPlace.ts';
import { limitByAddress } from './http/limitByAddress.ts';
import { localsOf } from './http/locals.ts';
import { logRequests } from './http/logRequests.ts';
import { openAnswer } from './http/openAnswer.ts';
import type { Place } from './http/places.ts';
import { nameBodyFault, receiveBody, refuseUnsent } from './http/receiveBody.ts';
import { refuse } from './http/refuse.ts';
import { refuseWhenDraining } from './http/refuseWhenDraining.ts';
import type { AddressLimit } from './limits/addressLimit.ts';
import { speakMcp } from './mcp/speakMcp.ts';
import type { Cashier } from './payment/index.ts';
import { discovery } from './surfaces/discovery.ts';
import { docs } from './surfaces/docs.ts';
import { health, healthOf } from './surfaces/health.ts';
import { ready } from './surfaces/ready.ts';
import type { Order, Sale } from './surfaces/sell.ts';
import { sellOverHttp } from './surfaces/sellOverHttp.ts';
import { explainToPeople, openSite, showSite } from './surfaces/site.ts';
import type { WorkInProgress } from './workInProgress.ts';

export interface AppDeps {
  engine: Engine;
  pretrade: PretradeChecker;
  cashier: Cashier;
  logger: Logger;
  mode: 'sandbox' | 'live';
  /** Where clients reach us, without a trailing slash. */
  baseUrl: string;
  paymentNetworks: readonly string[];
  /** Groups of paths whose first call is free for a wallet. */
  freeTrialGroups: readonly string[];
  trustedProxies: number;
  limitAddress: AddressLimit;
  work: WorkInProgress;
  /** Whether the store answers; asks it at most once a second, and waits a moment. */
  isStoreThere: () => Promise<boolean>;
  /** Told of each answer that still stood, by what was sold. */
  onRemembered?: (paid: string) => void;
  /** Told how each call of an MCP tool ended, by the status that it would have on REST. */
  onToolCalled?: (tool: string, status: number) => void;
  /** Whom users write to. */
  contactEmail?: string;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** When these terms began to hold, epoch milliseconds. */
  startedAt: number;
  /** What `GET /sandbox` tells; absent in live mode. */
  sandbox?: SandboxBody;
}

/** The whole way of a request, in order. */
export function createApp(deps: AppDeps, sale: Sale): Express {
  const { logger, work } = deps;
  const docsUrl = docsUrlOf(deps);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.set('trust proxy', deps.trustedProxies);

  app.use(openAnswer, keepTls(deps.baseUrl));
  app.use(logRequests(logger));
  app.use(allowBrowsers);
  app.use(knowPlace);
  app.use(limitByAddress(deps.limitAddress));
  const intake = refuseWhenDraining(work);
  app.use(on('paid', intake), on('mcp', intake));
  app.use(on('paid', refuseUnsent), on('mcp', refuseUnsent));
  app.use(on('paid', receiveBody), on('mcp', receiveBody), nameBodyFault);
  // Bodies take their time: what was open when this one began may be closing by now.
  app.use(on('paid', intake), on('mcp', intake));
  const sellHere = sellOverHttp(sale, docsUrl);
  app.use(on('paid', (req, res) => work.run(sellHere(req, res))));
  // A tool's sale is waited for, its exchange is not: the transport never ends one whose client has left.
  const { limitAddress, onToolCalled: onCalled } = deps;
  const sellTool = (order: Order) => work.run(sale(order));
  app.use(
    on(
      'mcp',
      speakMcp({ sale: sellTool, place: deps, health: () => healthOf(deps), docsUrl, limitAddress, logger, onCalled }),
    ),
  );

  const site = openSite(deps);
  app.use(showSite(site));
  app.get('/docs', (_req, res) => res.redirect(301, '/docs/'));
  app.use('/docs', docs(deps.mode));
  app.get('/health', health(deps));
  app.get('/ready', ready(deps));
  app.use(discovery(deps));
  app.get('/sandbox', tellSandbox(deps.sandbox));
  app.use(nothingThere);

  app.use(explainToPeople(site, deps));
  app.use(refuse({ logger, docsUrl }));
  return app;
}

/** `knowPlace` has compared the raw target; what is sold is found by that alone, never by a route pattern. */
function on(kind: Place['kind'], handler: RequestHandler): RequestHandler {
  return (req, res, next) => (localsOf(res).place?.kind === kind ? handler(req, res, next) : next());
}

/** A file's name that could be one of ours, and is none. */
const nothingThere: RequestHandler = () => {
  throw new RequestError('NOT_FOUND', 'There is no such file.');
};

function tellSandbox(sandbox: SandboxBody | undefined): RequestHandler {
  return (_req, res) => {
    if (!sandbox) throw new RequestError('NOT_FOUND', 'This is the live service: there is no sandbox here.');
    res.setHeader('Cache-Control', 'no-store');
    res.json(sandbox);
  };
}
