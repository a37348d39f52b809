import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { peersFolder } from '../geth/gethProgram.ts';

/** A program that generates TypeScript from the published document. */
interface Generator {
  packages: readonly string[];
  /** The configuration file and its text, if the generator reads one. The document is `openapi.json`. */
  config?: [file: string, text: string];
  /** Writes into `out`. */
  command: string;
  /** A program as a caller writes it: `create(baseUrl, send)` returns a `GeneratedClient`. */
  program: string;
}

const typescript = 'typescript@5.9.3';
const zod = 'zod@4.6.7';
const kubb = ['cli', 'core', 'plugin-oas', 'plugin-ts', 'plugin-zod', 'plugin-client'].map(
  (name) => `@kubb/${name}@4.39.3`,
);

export const generators: Readonly<Record<string, Generator>> = {
  'openapi-typescript': {
    packages: ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', typescript],
    command: 'openapi-typescript openapi.json -o out/api.ts',
    program: `
import createClient from 'openapi-fetch';
import type { paths } from './out/api.ts';
export const create: Create = (baseUrl, send) => {
  const client = createClient<paths>({ baseUrl, fetch: send });
  return {
    async price(body) {
      const { error } = await client.POST('/v1/quote', { body });
      if (!error || !('accepts' in error)) throw error;
      return error.accepts[0]?.amount ?? '';
    },
    async quote(body) {
      const { data, error } = await client.POST('/v1/quote', { body });
      if (error) throw error;
      return data.amountOut;
    },
    async check(body) {
      const { data, error } = await client.POST('/v1/pretrade/check', { body });
      if (error) throw error;
      return { verdict: data.verdict, sources: data.sources };
    },
  };
};`,
  },
  // Its client validates each request and answer with zod.
  '@hey-api/openapi-ts': {
    packages: ['@hey-api/openapi-ts@0.99.0', typescript, zod],
    config: [
      'openapi-ts.config.mjs',
      `export default { input: 'openapi.json', output: 'out', plugins:
        ['@hey-api/client-fetch', '@hey-api/typescript', 'zod', { name: '@hey-api/sdk', validator: true }] };`,
    ],
    command: 'openapi-ts',
    program: `
import { client } from './out/client.gen.ts';
import { pretradeCheck, quote } from './out/sdk.gen.ts';
export const create: Create = (baseUrl, send) => {
  client.setConfig({ baseUrl, fetch: send });
  return {
    async price(body) {
      const { error } = await quote({ body });
      if (!error || !('accepts' in error)) throw error;
      return error.accepts[0]?.amount ?? '';
    },
    quote: async (body) => (await quote({ body, throwOnError: true })).data.amountOut,
    check: async (body) => (await pretradeCheck({ body, throwOnError: true })).data,
  };
};`,
  },
  orval: {
    packages: ['orval@8.38.0', zod],
    config: [
      'orval.config.mjs',
      `const of = (client) => ({ input: 'openapi.json', output: { target: \`out/\${client}.ts\`, client, mode: 'single',
        baseUrl: process.env.TRUEFILL_URL } });
      export default { fetch: of('fetch'), zod: of('zod') };`,
    ],
    command: 'orval',
    program: `
import { pretradeCheck, quote } from './out/fetch.ts';
import { PretradeCheckBody, PretradeCheckResponse, QuoteBody, QuoteResponse } from './out/zod.ts';
export const create: Create = (_, send) => {
  globalThis.fetch = send;
  return {
    async price(body) {
      const answer = await quote(QuoteBody.parse(body));
      if (answer.status !== 402) throw answer;
      return answer.data.accepts[0]?.amount ?? '';
    },
    async quote(body) {
      const answer = await quote(QuoteBody.parse(body));
      if (answer.status !== 200) throw answer;
      QuoteResponse.parse(answer.data);
      return answer.data.amountOut;
    },
    async check(body) {
      const answer = await pretradeCheck(PretradeCheckBody.parse(body));
      if (answer.status !== 200) throw answer;
      const { sources } = PretradeCheckResponse.parse(answer.data);
      return { verdict: answer.data.verdict, sources };
    },
  };
};`,
  },
  // With zod and its default client, axios. Its fetch client sends no content type unless the caller sets one.
  kubb: {
    packages: [...kubb, '@kubb/react-fabric@0.16.1', '@kubb/fabric-core@0.16.1', 'axios@1.21.1', zod],
    config: [
      'kubb.config.mjs',
      `import { defineConfig } from '@kubb/core';
      import { pluginClient } from '@kubb/plugin-client';
      import { pluginOas } from '@kubb/plugin-oas';
      import { pluginTs } from '@kubb/plugin-ts';
      import { pluginZod } from '@kubb/plugin-zod';
      export default defineConfig({ root: '.', input: { path: 'openapi.json' },
        output: { path: 'out', format: false, lint: false }, plugins: [pluginOas({ generators: [] }),
          pluginTs({ output: { path: 'types' } }), pluginZod({ output: { path: 'zod' }, version: '4' }),
          pluginClient({ output: { path: 'clients' }, parser: 'zod' })] });`,
    ],
    command: 'kubb generate',
    program: `
import { axiosInstance, setConfig } from '@kubb/plugin-client/clients/axios';
import { AxiosError } from 'axios';
import { type Quote402, pretradeCheck, quote } from './out/index.ts';
export const create: Create = (baseURL, send) => {
  Object.assign(axiosInstance.defaults, { adapter: 'fetch', env: { fetch: send } });
  setConfig({ baseURL });
  return {
    async price(body) {
      const error: unknown = await quote(body).catch((thrown: unknown) => thrown);
      if (!(error instanceof AxiosError) || error.status !== 402) throw error;
      const refusal: Quote402 = error.response?.data;
      return refusal.accepts[0]?.amount ?? '';
    },
    quote: async (body) => (await quote(body)).amountOut,
    check: (body) => pretradeCheck(body),
  };
};`,
  },
  // Its client validates each request and answer with zod 3.
  'openapi-zod-client': {
    packages: ['openapi-zod-client@1.18.3', '@zodios/core@10.9.6', 'zod@3.25.76', 'axios@1.21.1'],
    command: 'openapi-zod-client openapi.json -o out/client.ts',
    program: `
import { isErrorFromAlias } from '@zodios/core';
import axios from 'axios';
import { api, createApiClient } from './out/client.ts';
export const create: Create = (baseUrl, send) => {
  const axiosInstance = axios.create({ adapter: 'fetch', env: { fetch: send } });
  const client = createApiClient(baseUrl, { axiosInstance });
  return {
    async price(body) {
      const error: unknown = await client.quote(body).catch((thrown: unknown) => thrown);
      if (!isErrorFromAlias(api.api, 'quote', error) || error.response.status !== 402) throw error;
      return error.response.data.accepts[0]?.amount ?? '';
    },
    quote: async (body) => (await client.quote(body)).amountOut,
    check: (body) => client.pretradeCheck(body),
  };
};`,
  },
};

const digest = createHash('sha256').update(JSON.stringify(Object.values(generators).map(({ packages }) => packages)));
const folder = join(peersFolder, `generators-${digest.digest('hex').slice(0, 8)}`);

/** The packages of one generator. Each has a folder of its own, because they need different versions of zod. */
export const packagesOf = (name: string): string => join(folder, name.replaceAll(/\W+/g, '-'), 'node_modules');

const installOne = ([name, { packages }]: [string, Generator]) => {
  const own = join(packagesOf(name), '..');
  return `mkdir -p '${own}' && npm install --prefix '${own}' --silent --no-audit --no-fund --ignore-scripts ${packages.join(' ')}`;
};

/** The generators, as `npm run prove:peers` installs them. */
export const generatorsPeer = {
  name: 'generators of clients',
  // Written after the last of what is installed.
  file: join(folder, 'installed'),
  install: `${Object.entries(generators).map(installOne).join(' && ')} && touch '${join(folder, 'installed')}'`,
  seconds: 300,
};
