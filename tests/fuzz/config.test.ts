import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError } from '../../server/config/configError.ts';
import { urlList } from '../../server/config/formats.ts';
import { readConfig } from '../../server/config/index.ts';
import { secretsOfUrl } from '../../server/observability/redaction/secretsOfUrl.ts';
import { hostileText } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

const good = {
  RPC_URL_BASE: 'https://rpc.example/v2/secret-api-key',
  PAY_TO_EVM: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  FACILITATOR_KEY_EVM: `0x${'42'.repeat(32)}`,
  PUBLIC_URL: 'https://truefill.example',
};
const names = [
  ...['RPC_URL_BASE', 'RPC_URL_POLYGON', 'RPC_URL_ARBITRUM', 'RPC_URL_SOLANA', 'RPC_URL_', 'TRUEFILL_MODE', 'PORT'],
  ...['HOST', 'PUBLIC_URL', 'CONTACT_EMAIL', 'TRUSTED_PROXIES', 'RATE_LIMIT_PER_ADDRESS', 'RATE_LIMIT_PER_WALLET'],
  ...['LOG_LEVEL', 'FREE_TRIAL_GROUPS', 'ANSWER_RETENTION_DAYS', 'DATA_DIR', 'QUOTE_DEADLINE_MS', 'DATABASE_URL'],
  ...[
    'FRESHNESS_MS_BASE',
    'PAY_TO_EVM',
    'PAY_TO_SVM',
    'FACILITATOR_KEY_EVM',
    'RECEIPT_SIGNING_KEY',
    'FACILITATOR_KEY_SVM',
    'FACILITATOR_URL',
  ],
  ...[
    'FACILITATOR_URL_BASE',
    'FACILITATOR_HEADERS',
    'FACILITATOR_HEADERS_BASE',
    'CDP_API_KEY_ID',
    'CDP_API_KEY_SECRET',
  ],
  ...['BLOCKSCOUT_URL', 'BLOCKSCOUT_KEY', 'ETHERSCAN_KEY', 'DEXSCREENER_URL', 'LOG_INDEX', 'VENDOR_TIMEOUT_MS'],
] as const;
const value = fc.oneof(
  fc.constantFrom('', '0', '-1', '1e9', '65536', ' 80', 'live', 'sandbox', 'none', 'off', 'on', 'pretrade,quote', ','),
  fc.constantFrom(
    'http://',
    'http://[',
    'https://a b',
    'ftp://x',
    'https://u:p%zz@h/',
    'postgres://',
    'postgres://%zz@h/d',
  ),
  fc.constantFrom('{"__proto__":"x"}', '{"a":"b\\n"}', '[]', '{"a":1}', `0x${'0'.repeat(64)}`, `0x${'f'.repeat(64)}`),
  fc.webUrl(),
  hostileText,
);
const environment = fc.tuple(fc.boolean(), fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 6 }));

test('error: returns a valid configuration, or throws ConfigError without private values, for any environment', () => {
  fc.assert(
    fc.property(environment, ([isLive, set]) => {
      const env = { ...(isLive && good), ...set };
      try {
        const config = readConfig(env);
        expect(Number.isSafeInteger(config.port) && config.port >= 0 && config.port <= 65_535).toBe(true);
        if (config.mode !== 'live') return;
        for (const urls of Object.values(config.rpcUrls)) for (const url of urls) expect(URL.canParse(url)).toBe(true);
        // Extracting the secrets of each URL must not throw.
        for (const url of Object.values(config.rpcUrls).flat()) secretsOfUrl(url);
        if (config.databaseUrl) secretsOfUrl(config.databaseUrl);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
        const { message } = error as ConfigError;
        const isPrivate = (name: string) => /KEY|HEADERS|URL|SECRET|PAY_TO/.test(name);
        const values = Object.entries(env);
        // A text that is also part of a public value may appear.
        const publicValues = values.filter(([name]) => !isPrivate(name)).map(([, text]) => text);
        for (const [name, text] of values) {
          if (!isPrivate(name) || text.length <= 12 || publicValues.some((other) => other.includes(text))) continue;
          expect(message).not.toContain(text);
        }
      }
    }),
  );
});

test('behavior: parses a list of URLs in order and trims blanks; one invalid URL rejects the list', () => {
  const url = fc.webUrl({ withQueryParameters: true }).filter((text) => !text.includes(','));
  fc.assert(
    fc.property(fc.array(url, { minLength: 1, maxLength: 5 }), fc.constantFrom(',', ' , ', ',\t'), (urls, comma) => {
      expect(urlList.parse(urls.join(comma))).toEqual(urls);
      expect(urlList.safeParse([...urls, 'nonsense'].join(comma)).success).toBe(false);
      expect(urlList.safeParse(`${urls.join(comma)},`).success).toBe(false);
    }),
  );
});
