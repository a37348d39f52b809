import { type ErrorRequestHandler, type RequestHandler, Router } from 'express';
import { createSite, type Site, type SiteItem } from '../../docs-site/index.ts';
import { confidenceRules, flagTable } from '../../engine/index.ts';
import { catalogue, errorTable, type PaidItem, RequestError, serviceVersion } from '../../router/index.ts';
import { variables } from '../config/index.ts';
import { sandboxUsdcDomain, usdcDomain } from '../payments/usdc.ts';
import { localsOf } from './locals.ts';
import { pageHeaders } from './pageHeaders.ts';

interface SiteDeps {
  mode: 'sandbox' | 'live';
  baseUrl: string;
  paymentNetworks: readonly string[];
  freeTrialGroups: readonly string[];
}

/** The documentation pages, generated from the tables that the service itself uses. */
export function openSite(deps: SiteDeps): Site {
  return createSite({
    mode: deps.mode,
    baseUrl: deps.baseUrl,
    version: serviceVersion,
    items: catalogue.map((item) => toSiteItem(item, deps)),
    networks: deps.paymentNetworks,
    usdcName: (deps.mode === 'sandbox' ? sandboxUsdcDomain : usdcDomain).name,
    confidence: confidenceRules,
    flags: Object.entries(flagTable).map(([code, row]) => ({ code, ...row })),
    variables,
    errors: Object.entries(errorTable).map(([code, { status, when }]) => ({ code, status, when })),
  });
}

function toSiteItem(item: PaidItem, { freeTrialGroups }: Pick<SiteDeps, 'freeTrialGroups'>): SiteItem {
  const { name, path, aliases, priceUsd, summary, description, exampleRequest, exampleAnswer } = item;
  const freeFirstCall = freeTrialGroups.includes(item.trialGroup);
  return { name, path, aliases, priceUsd, freeFirstCall, summary, description, exampleRequest, exampleAnswer };
}

/** Serves pages at their own paths and files under `/assets/`; passes other paths on. */
export function serveSite(site: Site): RequestHandler {
  const router = Router({ caseSensitive: true, strict: true });
  for (const [path, page] of site.pages) {
    router.get(
      path,
      pageHeaders,
      (_req, res) => void res.type('html').setHeader('Cache-Control', 'no-cache').send(page),
    );
  }
  router.get('/assets/:name', pageHeaders, async ({ params }, res) => {
    const asset = await site.loadAsset(String(params.name));
    if (!asset) throw new RequestError('NOT_FOUND', 'No such file.');
    res.type(asset.type).setHeader('Cache-Control', 'public, max-age=300').send(asset.body);
  });
  return router;
}

/** Sends a browser that opens a paid path an HTML page instead of JSON, still with status 405. */
export function explainInBrowser(site: Site, deps: SiteDeps): ErrorRequestHandler {
  return (thrown: unknown, req, res, next) => {
    const { route } = localsOf(res);
    const isBrowser = req.method === 'GET' && route?.kind === 'paid' && req.accepts(['json', 'html']) === 'html';
    if (!isBrowser || !(thrown instanceof RequestError) || thrown.code !== 'METHOD_NOT_ALLOWED') {
      next(thrown);
      return;
    }
    pageHeaders(req, res, () => undefined);
    res
      .vary('Accept')
      .status(405)
      .setHeader('Cache-Control', 'no-store')
      .type('html')
      .send(site.explain(toSiteItem(route.item, deps)));
  };
}
