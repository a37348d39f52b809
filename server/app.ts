import { readFileSync } from 'node:fs';
import { paymentMiddlewareFromHTTPServer } from '@x402/express';
import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import type { Engine, PretradeChecker } from '../engine/index.ts';
import { type Limits, linkHeader, mcpTools, publishDocument, type SandboxBody } from '../router/index.ts';
import type { ClockSkew } from './clockWatch.ts';
import { sendMessage } from './http/a2a/sendMessage.ts';
import { accessLog } from './http/accessLog.ts';
import { readBody, toBodyError } from './http/body.ts';
import { cors } from './http/cors.ts';
import { discovery } from './http/discovery.ts';
import { rejectWhenDraining } from './http/draining.ts';
import { errorHandler } from './http/errorHandler.ts';
import { answerFreeCall, maxFreeBodyBytes } from './http/freeCall.ts';
import { health, healthOf } from './http/health.ts';
import type { AddressLimit } from './http/limits/addressLimit.ts';
import type { SignedLimit } from './http/limits/signedLimit.ts';
import { localsOf, onRoutes } from './http/locals.ts';
import { loadMcp } from './http/mcp/loadMcp.ts';
import { checkAdmissibility, isolateHandler, normaliseResponse, parsePaidCall } from './http/paidCall.ts';
import { restProcedures, trpcProcedures } from './http/procedures.ts';
import { rateLimit } from './http/rateLimit.ts';
import { maxBodyBytes } from './http/readBody.ts';
import { ready } from './http/ready.ts';
import { requestId } from './http/requestId.ts';
import { requireHost } from './http/requireHost.ts';
import { routeMatch } from './http/routeMatch.ts';
import { securityHeaders } from './http/securityHeaders.ts';
import { explainInBrowser, openSite, serveSandbox, serveSite } from './http/site.ts';
import { solanaReads } from './http/solanaReads.ts';
import { PaymentGate, type PaymentService, type ReceiptIssuer } from './payments/index.ts';
import type { PoolIndexes } from './poolIndexes.ts';
import type { StoreProbe } from './storage/index.ts';
import type { WorkInProgress } from './workInProgress.ts';

export interface AppDeps {
  engine: Engine;
  pretrade: PretradeChecker;
  paymentService: PaymentService;
  logger: Logger;
  mode: 'sandbox' | 'live';
  /** Public base URL, without a trailing slash. */
  baseUrl: string;
  paymentNetworks: readonly string[];
  /** Groups of paths whose first call is free for each wallet. */
  freeTrialGroups: readonly string[];
  limits?: Partial<Limits>;
  receipts?: ReceiptIssuer;
  trustedProxies: number;
  limitAddress: AddressLimit;
  limitSigned: SignedLimit;
  work: WorkInProgress;
  storeProbe: StoreProbe;
  /** Receives each MCP tool call and the status that it would have on REST. */
  onToolCalled?: (tool: string, status: number) => void;
  /** Contact address for users. */
  contactEmail?: string;
  /** Start of this process in epoch milliseconds; the terms apply from then on. */
  startedAt: number;
  /** Set while the service's clock differs from the time of the chains. */
  clockSkew: () => ClockSkew | undefined;
  /** The state of each chain's pool index. */
  poolIndexes: PoolIndexes['states'];
  /** The body of `GET /sandbox`; absent in live mode. */
  sandbox?: SandboxBody;
}

/** The committed document, generated from the router. A test compares the two. */
const readOpenapi = () => JSON.parse(readFileSync(new URL('../openapi.json', import.meta.url), 'utf8'));

/** Creates the app. The middleware runs in the order of this function. */
export function createApp(deps: AppDeps): Express {
  const { engine, logger, work, limitAddress } = deps;
  const gate = new PaymentGate(deps);
  const document = publishDocument(readOpenapi(), deps);

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('strict routing');
  app.set('trust proxy', deps.trustedProxies);

  app.use(requestId, accessLog(logger), cors, securityHeaders(linkHeader(document, 'service-desc'), deps.baseUrl));
  app.use(requireHost, routeMatch);

  // Documents are not limited: health checks use them.
  const calls = ['paid', 'mcp', 'a2a', 'free call', 'solana reads'] as const;
  const draining = rejectWhenDraining(work);
  for (const step of [rateLimit(limitAddress, deps.limitSigned), draining]) app.use(onRoutes(calls, step));
  for (const step of readBody(maxBodyBytes)) app.use(onRoutes(['paid', 'mcp', 'a2a', 'solana reads'], step));
  for (const step of readBody(maxFreeBodyBytes)) app.use(onRoutes(['free call'], step));
  app.use(toBodyError);
  // Draining may have begun while the body arrived.
  app.use(onRoutes(calls, draining));

  app.use(onRoutes(['paid'], parsePaidCall(deps.baseUrl)));
  app.use(onRoutes(['paid'], checkAdmissibility(engine)));
  app.use(onRoutes(['paid'], paymentMiddlewareFromHTTPServer(gate, undefined, undefined, false)));
  app.use(onRoutes(['paid'], isolateHandler), onRoutes(['paid'], normaliseResponse));
  app.use(onRoutes(['paid'], bySurface(restProcedures(deps), trpcProcedures(deps))));

  app.use(onRoutes(['free call'], answerFreeCall(deps)));

  const mcp = {
    ...deps,
    gate,
    tools: mcpTools(document),
    facts: deps,
    health: () => healthOf(deps),
    onCalled: deps.onToolCalled,
  };
  app.use(onRoutes(['mcp'], loadMcp(mcp)));
  app.use(onRoutes(['a2a'], sendMessage({ ...deps, gate })));
  app.use(onRoutes(['solana reads'], solanaReads(deps.paymentService.walletReads)));

  const site = openSite(deps, document);
  app.get('/docs', (_req, res) => res.redirect(301, '/docs/'));
  app.get('/health', health(deps));
  app.get('/ready', ready(deps));
  app.use(discovery(document, deps));
  app.get('/sandbox', serveSandbox(site, deps.sandbox));
  app.use(serveSite(site));

  app.use(explainInBrowser(site, deps));
  app.use(errorHandler(deps));
  return app;
}

function bySurface(rest: RequestHandler, trpc: RequestHandler): RequestHandler {
  return (req, res, next) => {
    const { route } = localsOf(res);
    return route?.kind === 'paid' && route.surface === 'trpc' ? trpc(req, res, next) : rest(req, res, next);
  };
}
