import { type ErrorRequestHandler, type Request, type RequestHandler, type Response, Router } from 'express';
import { createSite, type Site, type SiteFile, type SiteItem } from '../../docs-site/index.ts';
import { confidenceRules, deployments, flagTable } from '../../engine/index.ts';
import {
  catalogue,
  errorTable,
  type PaidItem,
  RequestError,
  type SandboxBody,
  serviceVersion,
} from '../../router/index.ts';
import { variables } from '../config/index.ts';
import { sandboxUsdcDomain, usdcDomain } from '../payments/usdc.ts';
import { localsOf } from './locals.ts';
import { pageHeaders } from './pageHeaders.ts';
import { sendFile } from './sendFile.ts';

interface SiteDeps {
  mode: 'sandbox' | 'live';
  baseUrl: string;
  paymentNetworks: readonly string[];
  freeTrialGroups: readonly string[];
  contactEmail?: string;
  startedAt: number;
}

/** The documentation pages, generated from the tables that the service itself uses. */
export function openSite(deps: SiteDeps, document: Record<string, unknown>): Site {
  return createSite({
    mode: deps.mode,
    baseUrl: deps.baseUrl,
    version: serviceVersion,
    items: catalogue.map((item) => toSiteItem(item, deps)),
    networks: deps.paymentNetworks,
    usdcName: (deps.mode === 'sandbox' ? sandboxUsdcDomain : usdcDomain).name,
    document,
    tokens: knownTokens(),
    contactEmail: deps.contactEmail,
    startedAt: deps.startedAt,
    confidence: confidenceRules,
    flags: Object.entries(flagTable).map(([code, row]) => ({ code, ...row })),
    variables,
    errors: Object.entries(errorTable).map(([code, { status, when }]) => ({ code, status, when })),
  });
}

/** The assets that routes and prices rest on; some are in both lists. */
const knownTokens = () =>
  Object.entries(deployments).flatMap(([chain, { pricingAssets, routingAssets }]) => {
    const byAddress = new Map([...pricingAssets, ...routingAssets].map((asset) => [asset.address, asset]));
    return [...byAddress.values()].map(({ symbol, address, decimals }) => ({ chain, symbol, address, decimals }));
  });

function toSiteItem(item: PaidItem, { freeTrialGroups }: Pick<SiteDeps, 'freeTrialGroups'>): SiteItem {
  const { name, path, aliases, priceUsd, summary, description, exampleRequest, exampleAnswer } = item;
  const freeFirstCall = freeTrialGroups.includes(item.trialGroup);
  return { name, path, aliases, priceUsd, freeFirstCall, summary, description, exampleRequest, exampleAnswer };
}

const folders = ['/assets/:name', '/docs/:name'];

/** Serves pages at their own paths, and files under `/assets/` and `/docs/`; passes other paths on. */
export function serveSite(site: Site): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  router.get([...site.paths, ...folders], pageHeaders, async (req, res) => {
    const file = await site.find(req.path);
    if (!file) throw new RequestError('NOT_FOUND', 'No such file.');
    await sendFile(req, res, file, file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  });
  return router;
}

/** `GET /sandbox`: JSON, and a page for browsers. */
export function serveSandbox(site: Site, sandbox: SandboxBody | undefined): RequestHandler {
  const json = sandbox && { type: 'json', body: Buffer.from(JSON.stringify(sandbox)) };
  let page: Promise<SiteFile> | undefined;
  return async (req, res) => {
    if (!sandbox || !json) throw new RequestError('NOT_FOUND', 'This service runs in live mode and has no sandbox.');
    res.vary('Accept');
    if (!wantsHtml(req)) return sendFile(req, res, json, 'no-store');
    page ??= site.sandbox(sandbox);
    pageHeaders(req, res, () => undefined);
    return sendFile(req, res, await page, 'no-store');
  };
}

/** Sends a browser a page instead of JSON: where a path does not exist (404), and where it needs a POST (405). */
export function explainInBrowser(site: Site, deps: SiteDeps): ErrorRequestHandler {
  return async (thrown: unknown, req, res, next) => {
    const page = await findPage(thrown, req, res, site, deps);
    if (!page || !(thrown instanceof RequestError)) {
      next(thrown);
      return;
    }
    pageHeaders(req, res, () => undefined);
    res.status(thrown.code === 'NOT_FOUND' ? 404 : 405).vary('Accept');
    await sendFile(req, res, page, 'no-store');
  };
}

async function findPage(
  thrown: unknown,
  req: Request,
  res: Response,
  site: Site,
  deps: SiteDeps,
): Promise<SiteFile | undefined> {
  if (!(thrown instanceof RequestError) || req.method !== 'GET' || !wantsHtml(req)) return undefined;
  const { route } = localsOf(res);
  if (thrown.code === 'NOT_FOUND') return site.notFound(thrown.detail);
  if (thrown.code === 'METHOD_NOT_ALLOWED' && route?.kind === 'paid') return site.explain(toSiteItem(route.item, deps));
  return undefined;
}

/** Whether the client prefers HTML to JSON. A client that accepts anything gets JSON. */
const wantsHtml = (req: Request): boolean => req.accepts(['json', 'html']) === 'html';
