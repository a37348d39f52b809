import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import { getAddress } from 'viem';
import type { Site, SiteFacts, SiteFile, SiteItem } from '../../docs-site/index.ts';
import { confidenceRules, deployments, flagTable } from '../../engine/index.ts';
import {
  catalogue,
  errorTable,
  linkHeader,
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

export interface LazySite {
  /** Loads the pages with the first request for one, so that the service starts faster. */
  load(): Promise<Site>;
  setPageHeaders(res: Response): void;
}

/** The documentation pages, generated from the tables that the service itself uses. */
export function openSite(deps: SiteDeps, document: Record<string, unknown>): LazySite {
  let loading: Promise<Site> | undefined;
  return {
    load() {
      loading ??= import('../../docs-site/index.ts')
        .then(({ createSite }) => createSite(siteFacts(deps, document)))
        .catch((thrown) => {
          // The next request retries.
          loading = undefined;
          throw thrown;
        });
      return loading;
    },
    setPageHeaders: pageHeaders(linkHeader(document)),
  };
}

function siteFacts(deps: SiteDeps, document: Record<string, unknown>): SiteFacts {
  return {
    mode: deps.mode,
    baseUrl: deps.baseUrl,
    version: serviceVersion,
    items: catalogue.map((item) => toSiteItem(item, deps)),
    networks: deps.paymentNetworks,
    usdcName: (deps.mode === 'sandbox' ? sandboxUsdcDomain : usdcDomain).name,
    document,
    chains: Object.entries(deployments).map(([name, { label, chainId }]) => ({
      name,
      label,
      network: `eip155:${chainId}`,
    })),
    venues: knownVenues(),
    tokens: knownTokens(),
    contactEmail: deps.contactEmail,
    startedAt: deps.startedAt,
    confidence: confidenceRules,
    flags: Object.entries(flagTable).map(([code, row]) => ({ code, ...row })),
    variables,
    errors: Object.entries(errorTable).map(([code, { status, when }]) => ({ code, status, when })),
  };
}

/** Balancer v2 is covered on some chains, and its other kinds of pools are known but not covered. */
const knownVenues = () =>
  Object.values(deployments).map(({ label, venues, uncovered }) => {
    const covered = [...new Set(venues.map(({ venue }) => venue))].toSorted();
    const notCovered = uncovered.map(({ name }) => name).filter((name) => !covered.includes(name));
    return { chain: label, covered, notCovered: notCovered.toSorted() };
  });

/** Pricing and routing assets; some are in both lists. */
const knownTokens = () =>
  Object.entries(deployments).flatMap(([chain, { pricingAssets, routingAssets }]) => {
    const byAddress = new Map([...pricingAssets, ...routingAssets].map((asset) => [asset.address, asset]));
    return [...byAddress.values()].map(({ symbol, address, decimals }) => ({
      chain,
      symbol,
      address: getAddress(address),
      decimals,
    }));
  });

function toSiteItem(item: PaidItem, { freeTrialGroups }: Pick<SiteDeps, 'freeTrialGroups'>): SiteItem {
  const { name, path, aliases, priceUsd, summary, description, exampleRequest, exampleAnswer } = item;
  const freeFirstCall = freeTrialGroups.includes(item.trialGroup);
  return { name, path, aliases, priceUsd, freeFirstCall, summary, description, exampleRequest, exampleAnswer };
}

/** Serves the pages and their files. The last handler: `routeMatch` also accepts names of files that do not exist. */
export function serveSite(site: LazySite): RequestHandler {
  return async (req, res) => {
    const { find } = await site.load();
    const file = await find(req.path);
    if (!file) throw new RequestError('NOT_FOUND', 'No such file.');
    site.setPageHeaders(res);
    await sendFile(req, res, file, file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache');
  };
}

/** `GET /sandbox`: JSON, and a page for browsers. */
export function serveSandbox(site: LazySite, sandbox: SandboxBody | undefined): RequestHandler {
  const json = sandbox && { type: 'json', body: Buffer.from(JSON.stringify(sandbox)) };
  let page: SiteFile | undefined;
  return async (req, res) => {
    if (!sandbox || !json) throw new RequestError('NOT_FOUND', 'This service runs in live mode and has no sandbox.');
    res.vary('Accept');
    if (!wantsHtml(req)) return sendFile(req, res, json, 'no-store');
    page ??= await (await site.load()).sandbox(sandbox);
    site.setPageHeaders(res);
    return sendFile(req, res, page, 'no-store');
  };
}

/** Sends browsers a page instead of JSON for an unknown path (404) and for a GET of a paid path (405). */
export function explainInBrowser(site: LazySite, deps: SiteDeps): ErrorRequestHandler {
  return async (thrown: unknown, req, res, next) => {
    const page = await findPage(thrown, req, res, site, deps);
    if (!page || !(thrown instanceof RequestError)) {
      next(thrown);
      return;
    }
    site.setPageHeaders(res);
    res.status(thrown.code === 'NOT_FOUND' ? 404 : 405).vary('Accept');
    await sendFile(req, res, page, 'no-store');
  };
}

async function findPage(
  thrown: unknown,
  req: Request,
  res: Response,
  site: LazySite,
  deps: SiteDeps,
): Promise<SiteFile | undefined> {
  if (!(thrown instanceof RequestError) || req.method !== 'GET' || !wantsHtml(req)) return undefined;
  const { route } = localsOf(res);
  if (thrown.code === 'NOT_FOUND') return (await site.load()).notFound(thrown.detail);
  if (thrown.code === 'METHOD_NOT_ALLOWED' && route?.kind === 'paid')
    return (await site.load()).explain(toSiteItem(route.item, deps));
  return undefined;
}

/** Whether the client prefers HTML to JSON. A client that accepts anything gets JSON. */
const wantsHtml = (req: Request): boolean => req.accepts(['json', 'html']) === 'html';
