import type { SandboxBody } from '../router/index.ts';
import { type Assets, buildAssets, type SiteFile } from './build/buildAssets.ts';
import { layOut, type Page } from './layout.ts';
import { agents } from './pages/agents.ts';
import { capacity } from './pages/capacity.ts';
import { configuration } from './pages/configuration.ts';
import { errors } from './pages/errors.ts';
import { firstCall } from './pages/firstCall.ts';
import { guidesIndex } from './pages/guidesIndex.ts';
import { landing } from './pages/landing.ts';
import { notAPage } from './pages/notAPage.ts';
import { notFound } from './pages/notFound.ts';
import { readingQuote } from './pages/readingQuote.ts';
import { readingVerdict } from './pages/readingVerdict.ts';
import { reference } from './pages/reference.ts';
import { runYourOwn } from './pages/runYourOwn.ts';
import { sandboxPage } from './pages/sandboxPage.ts';
import { swagger } from './pages/swagger.ts';
import { threatModel } from './pages/threatModel.ts';
import { typescript } from './pages/typescript.ts';
import { wellKnownFiles } from './pages/wellKnownFiles.ts';
import { searchIndex } from './searchIndex.ts';
import type { SiteFacts, SiteItem } from './siteFacts.ts';

/** More than all pages and the few texts of 404 and 405. */
const maxRendered = 100;

export interface Site {
  /** A page or file by its path. */
  find(path: string): Promise<SiteFile | undefined>;
  /** A page for a browser that opens a paid path. */
  explain(item: SiteItem): Promise<SiteFile>;
  notFound(detail: string): Promise<SiteFile>;
  /** `GET /sandbox` as a page. */
  sandbox(body: SandboxBody): Promise<SiteFile>;
}

/** The pages, generated from what the service publishes. Built on the first request, so that a start stays short. */
export function createSite(facts: SiteFacts): Site {
  const guides = [
    firstCall,
    typescript,
    agents,
    readingQuote,
    readingVerdict,
    errors,
    runYourOwn,
    configuration,
    threatModel,
    capacity,
  ].map((page) => page(facts));
  const indexed = [...guides, reference(facts)];
  const pages = new Map(
    [landing(facts), guidesIndex(guides), ...indexed, swagger(facts)].map((page) => [page.path, page]),
  );
  const files = wellKnownFiles(facts, [...pages.keys()]);

  let building: Promise<Assets> | undefined;
  const assets = () => {
    building ??= buildAssets({
      'search.json': JSON.stringify(searchIndex(indexed)),
      'tokens.json': JSON.stringify(facts.tokens),
    }).catch((thrown) => {
      // The next request retries.
      building = undefined;
      throw thrown;
    });
    return building;
  };
  const render = async (page: Page): Promise<SiteFile> => ({
    type: 'html',
    body: Buffer.from(layOut(page, facts, await assets())),
    immutable: false,
  });
  // Rendered and, in the server, compressed once: unknown paths are requested often, and are not rate limited.
  const rendered = new Map<string, SiteFile>();
  const renderOnce = async (key: string, page: Page): Promise<SiteFile> => {
    const file = rendered.get(key) ?? (await render(page));
    if (rendered.size < maxRendered) rendered.set(key, file);
    return file;
  };

  return {
    async find(path) {
      const page = pages.get(path);
      if (page) return renderOnce(path, page);
      const file = files.get(path);
      if (file) return file;
      return (await assets()).find(path === '/favicon.ico' ? '/assets/favicon.ico' : path);
    },
    explain: (item) => renderOnce(`405 ${item.path}`, notAPage(item, facts)),
    notFound: (detail) => renderOnce(`404 ${detail}`, notFound(detail)),
    sandbox: (body) => render(sandboxPage(body)),
  };
}
