import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname } from 'node:path';
import type { SiteFacts } from '../siteFacts.ts';
import { bundleScripts } from './bundleScripts.ts';
import { readTokenImages } from './tokenImages.ts';

/** One file that pages load. */
export interface SiteFile {
  /** A file extension or a media type, as `res.type` takes it. */
  type: string;
  body: Buffer;
  /** Whether the name contains a hash of the content, so that the file may be cached for ever. */
  immutable: boolean;
}

export interface Assets {
  /** The path of a file with a content hash. @throws {TypeError} no such file */
  url(name: string): string;
  /** A file by its path, with or without the hash. */
  find(path: string): SiteFile | undefined;
}

const images = ['mark.svg', 'favicon.ico', 'preview.png'];

/** The files of Swagger UI that `/docs/` loads, and their licences. The package contains more. */
const swaggerFiles = ['swagger-ui.css', 'swagger-ui-bundle.js'];
const swaggerLicences = ['swagger-ui-bundle.js.LICENSE.txt', 'LICENSE', 'NOTICE'];

/** The release that swagger-ui-express depends on. */
const swaggerPath = createRequire(createRequire(import.meta.url).resolve('swagger-ui-express')).resolve(
  'swagger-ui-dist/swagger-ui-bundle.js',
);

/** All files of the pages. Each is served under its name, and under a name with a content hash for ever. */
export async function buildAssets(generated: Record<string, string>, tokens: SiteFacts['tokens']): Promise<Assets> {
  const files = new Map<string, SiteFile>();
  const urls = new Map<string, string>();
  const add = (folder: string, name: string, body: Buffer, hashed?: string) => {
    const type = extname(name).slice(1) || 'txt';
    const dot = name.indexOf('.');
    const versioned = hashed ?? `${name.slice(0, dot)}.${hashOf(body)}${name.slice(dot)}`;
    files.set(folder + name, { type, body, immutable: name === hashed });
    files.set(folder + versioned, { type, body, immutable: true });
    urls.set(name, folder + versioned);
  };

  const icons = await readTokenImages(tokens);
  for (const [name, body] of icons.files) add('/assets/', name, body);
  const iconUrls = Object.fromEntries(icons.names.map(([token, name]) => [token, urls.get(name)]));
  const [built, pictures, swagger, licences] = await Promise.all([
    bundleScripts({ TOKEN_ICONS: JSON.stringify(iconUrls) }),
    readAll(images, (name) => new URL(`../styles/${name}`, import.meta.url)),
    readAll(swaggerFiles, besideSwagger),
    readAll(swaggerLicences, besideSwagger),
  ]);
  for (const { name, plainName, body } of built) add('/assets/', plainName ?? name, body, name);
  for (const [name, body] of pictures) add('/assets/', name, body);
  for (const [name, text] of Object.entries(generated)) add('/assets/', name, Buffer.from(text));
  for (const [name, body] of swagger) add('/docs/', name, body);
  for (const [name, body] of licences) files.set(`/docs/${name}`, { type: 'txt', body, immutable: false });
  return {
    url(name) {
      const url = urls.get(name);
      if (url === undefined) throw new TypeError(`No page loads a file named ${name}.`);
      return url;
    },
    find: (path) => files.get(path),
  };
}

const besideSwagger = (name: string) => new URL(name, `file://${swaggerPath}`);
const hashOf = (body: Buffer) => createHash('sha256').update(body).digest('hex').slice(0, 10);

function readAll(names: readonly string[], locate: (name: string) => URL): Promise<[string, Buffer][]> {
  return Promise.all(names.map(async (name): Promise<[string, Buffer]> => [name, await readFile(locate(name))]));
}
