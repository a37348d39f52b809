import { readFile } from 'node:fs/promises';
import type { SandboxBody } from '../router/index.ts';
import { type Assets, buildAssets, type SiteFile } from './build/buildAssets.ts';
import { guides } from './guides.ts';
import { guideFlags, guideValues } from './guideValues.ts';
import { layOut, type Page } from './layout.ts';
import { guidesIndex } from './pages/guidesIndex.ts';
import { landing } from './pages/landing.ts';
import { notAPage } from './pages/notAPage.ts';
import { notFound } from './pages/notFound.ts';
import { reference } from './pages/reference.ts';
import { sandboxPage } from './pages/sandboxPage.ts';
import { swagger } from './pages/swagger.ts';
import { wellKnownFiles } from './pages/wellKnownFiles.ts';
import { renderGuide } from './renderGuide.ts';
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
export async function createSite(facts: SiteFacts): Promise<Site> {
  const pagesOfGuides = await Promise.all(
    guides.map(async ({ path, title, about }): Promise<Page> => {
      const name = path.replace('/guides/', '');
      const source = await readFile(new URL(`guides/${name}.md`, import.meta.url), 'utf8');
      const body = renderGuide(source, guideValues[name]?.(facts) ?? {}, guideFlags(facts));
      return { path, title, about, body };
    }),
  );
  const indexed = [...pagesOfGuides, reference(facts)];
  const pages = new Map([landing(facts), guidesIndex(), ...indexed, swagger(facts)].map((page) => [page.path, page]));
  const files = wellKnownFiles(facts, [...pages.keys()]);

  let building: Promise<Assets> | undefined;
  const assets = () => {
    const generated = {
      'search.json': JSON.stringify(searchIndex(indexed)),
      'tokens.json': JSON.stringify(facts.tokens),
    };
    building ??= buildAssets(generated, facts.tokens).catch((thrown) => {
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
