import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** A code block of a document or of a page of the running service. */
export interface Block {
  /** Where it stands: `README.md: npm run demo` or `/guides/first-call: curl`. Unique. */
  key: string;
  source: string;
}

const folders = ['client', 'contracts', 'docs', 'examples', 'ops'];

/** Every Markdown document of the project, except the CHANGELOG. */
async function findDocuments(): Promise<string[]> {
  const top = (await readdir(root)).filter((name) => name !== 'CHANGELOG.md');
  const inFolders = folders.map(async (folder) =>
    (await readdir(join(root, folder), { recursive: true })).map((name) => `${folder}/${name}`),
  );
  return [...top, ...(await Promise.all(inFolders)).flat()].filter((name) => name.endsWith('.md')).toSorted();
}

/** Fenced blocks, named by their first line. */
async function blocksOf(document: string): Promise<Block[]> {
  const text = await readFile(join(root, document), 'utf8');
  return [...text.matchAll(/^( *)```[^\n]*\n([\s\S]*?)^\1```$/gm)].map(([, , source = '']) => {
    const [first = ''] = source.trim().split('\n');
    return {
      key: `${document}: ${first
        .replace(/\s{2,}#.*/, '')
        .slice(0, 40)
        .trimEnd()}`,
      source,
    };
  });
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Code blocks of a page, named by their captions. */
function blocksOfPage(path: string, page: string): Block[] {
  const figures = page.matchAll(/<figcaption>(.*?)<\/figcaption><pre[^>]*><code>([\s\S]*?)<\/code>/g);
  const plain = (markup: string) =>
    markup.replaceAll(/<[^>]+>/g, '').replaceAll(/&([^;]+);/g, (whole, name: string) => entities[name] ?? whole);
  return [...figures].map(([, caption = '', code = '']) => ({
    key: `${path}: ${plain(caption)}`,
    source: plain(code),
  }));
}

/** Every block of the documents and of the pages in the site map. A repeated key gets a number. */
export async function readBlocks(serviceUrl: string): Promise<Block[]> {
  const siteMap = await (await fetch(`${serviceUrl}/sitemap.xml`)).text();
  const paths = [...siteMap.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url = '']) => new URL(url).pathname);
  const pages = paths.map(async (path) => blocksOfPage(path, await (await fetch(serviceUrl + path)).text()));
  const all = await Promise.all([...(await findDocuments()).map(blocksOf), ...pages]);
  const times = new Map<string, number>();
  return all.flat().map(({ key, source }) => {
    const time = (times.get(key) ?? 0) + 1;
    times.set(key, time);
    return { key: time === 1 ? key : `${key} (${time})`, source };
  });
}
