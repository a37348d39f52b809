import { expect, test } from 'vitest';
import { readConfig } from '../../config/index.ts';
import { createRedactor } from './createRedactor.ts';
import { secretsOfConfig } from './secretsOfConfig.ts';

const cdpSecret = Buffer.alloc(64, 7).toString('base64');
const solanaKey = '4Z7cXSyeFR8wNGMVXUE1TwtKn5D5Vu7FzEv69dokLv7KrQk7h6pu4LF8ZRR9yQBhc7uSM6RTTZtU1fmaxiNrxXrs';

/** Variable, value, and the text that must be redacted. */
test.each([
  ['RPC_URL_BASE', 'https://node.example/v2/canary0canary0canary', 'canary0canary0canary'],
  ['RPC_URL_POLYGON', 'https://node.example/?key=canary-canary', 'canary-canary'],
  ['RPC_URL_ARBITRUM', 'https://a:canary-canary@node.example/', 'canary-canary'],
  ['RPC_URL_SOLANA', 'https://canary-canary.node.example/', 'canary-canary.node.example'],
  ['DATABASE_URL', 'postgres://u:canary-canary@host/db', 'canary-canary'],
  ['FACILITATOR_KEY_EVM', `0x${'ab'.repeat(32)}`, 'ab'.repeat(32)],
  ['RECEIPT_SIGNING_KEY', `0x${'cd'.repeat(31)}ef`, `${'cd'.repeat(31)}ef`],
  ['FACILITATOR_KEY_SVM', solanaKey, solanaKey],
  ['FACILITATOR_URL_BASE', 'https://f.example/canary0canary0canary', 'canary0canary0canary'],
  ['FACILITATOR_HEADERS_BASE', '{"Authorization":"Bearer canary-canary"}', 'canary-canary'],
  ['CDP_API_KEY_SECRET', cdpSecret, cdpSecret],
  ['BLOCKSCOUT_URL', 'https://b.example/canary0canary0canary', 'canary0canary0canary'],
  ['BLOCKSCOUT_KEY', 'canary-canary', 'canary-canary'],
  ['ETHERSCAN_KEY', 'canary-canary', 'canary-canary'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://c.example/canary0canary0canary', 'canary0canary0canary'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'authorization=Bearer%20canary-canary', 'canary-canary'],
])('redacts the secret in %s', (name, value, secret) => {
  const common = {
    PUBLIC_URL: 'https://truefill.example',
    RPC_URL_BASE: 'http://127.0.0.1:1',
    PAY_TO_EVM: `0x${'11'.repeat(20)}`,
  };
  const needed: Record<string, Record<string, string>> = {
    RPC_URL_SOLANA: { PAY_TO_SVM: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T', FACILITATOR_KEY_SVM: solanaKey },
    FACILITATOR_KEY_SVM: {
      RPC_URL_SOLANA: 'http://127.0.0.1:1',
      PAY_TO_SVM: '4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T',
    },
    FACILITATOR_HEADERS_BASE: { FACILITATOR_URL_BASE: 'https://f.example' },
    CDP_API_KEY_SECRET: { CDP_API_KEY_ID: 'id', FACILITATOR_KEY_EVM: '' },
    OTEL_EXPORTER_OTLP_HEADERS: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' },
  };
  const settler = /FACILITATOR_(URL|HEADERS)_BASE/.test(name) ? {} : { FACILITATOR_KEY_EVM: `0x${'cd'.repeat(32)}` };
  const config = readConfig({ ...common, ...settler, ...needed[name], [name]: value });
  const text = JSON.stringify(config);
  expect(text).toContain(name === 'OTEL_EXPORTER_OTLP_HEADERS' ? 'canary-canary' : secret);
  expect(createRedactor(secretsOfConfig(config))(text)).not.toContain(secret);
});
