import { readFile } from 'node:fs/promises';
import { bundleScripts } from './bundleScripts.ts';
import { layOut } from './layout.ts';
import { agents } from './pages/agents.ts';
import { capacity } from './pages/capacity.ts';
import { configuration } from './pages/configuration.ts';
import { errors } from './pages/errors.ts';
import { firstCall } from './pages/firstCall.ts';
import { landing } from './pages/landing.ts';
import { notAPage } from './pages/notAPage.ts';
import { readingQuote } from './pages/readingQuote.ts';
import { readingVerdict } from './pages/readingVerdict.ts';
import { runYourOwn } from './pages/runYourOwn.ts';
import { threatModel } from './pages/threatModel.ts';
import { typescript } from './pages/typescript.ts';
import type { SiteFacts, SiteItem } from './siteFacts.ts';

interface Asset {
  type: 'css' | 'js' | 'svg';
  body: string;
}

export interface Site {
  /** Whole documents by path. */
  pages: ReadonlyMap<string, string>;
  /** For a person who opens a paid path. */
  explain(item: SiteItem): string;
  /** A file under `/assets/`; undefined when there is none of that name. */
  loadAsset(name: string): Promise<Asset | undefined>;
}

/** What people read, worked out from what the service says of itself. */
export function createSite(facts: SiteFacts): Site {
  const pages = [
    landing,
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
  let scripts: Promise<Map<string, string>> | undefined;
  return {
    pages: new Map(pages.map((page) => [page.path, layOut(page, facts)])),
    explain: (item) => layOut(notAPage(item, facts), facts),
    async loadAsset(name) {
      if (name === 'site.css' || name === 'mark.svg') {
        const body = await readFile(new URL(`./styles/${name}`, import.meta.url), 'utf8');
        return { type: name === 'site.css' ? 'css' : 'svg', body };
      }
      scripts ??= bundleScripts();
      const body = (await scripts).get(name);
      return body === undefined ? undefined : { type: 'js', body };
    },
  };
}
