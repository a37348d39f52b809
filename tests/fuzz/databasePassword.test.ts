import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ConfigError } from '../../server/config/configError.ts';
import { readConfig } from '../../server/config/index.ts';
import { describeStartFault } from '../../server/describeStartFault.ts';
import { createLogger } from '../../server/observability/createLogger.ts';
import { secretsOfConfig } from '../../server/observability/redaction/secretsOfConfig.ts';
import { describeStorage } from '../../server/startSummary.ts';
import { DatabaseUnavailableError } from '../../server/storage/index.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

const live = {
  RPC_URL_BASE: 'http://127.0.0.1:1',
  PAY_TO_EVM: '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  FACILITATOR_KEY_EVM: `0x${'42'.repeat(32)}`,
  PUBLIC_URL: 'https://truefill.example',
};

/** Characters that the rest of the URL and the messages do not contain, and those that are reserved in URLs. */
const secretText = fc.string({ unit: fc.constantFrom(...'QXZJKVW6789'), minLength: 4, maxLength: 8 });
const reserved = fc.constantFrom(
  '@',
  '/',
  ':',
  '?',
  '#',
  '@/',
  '/@',
  '://',
  '%',
  '&',
  '=',
  '\\',
  '[',
  ']',
  '+',
  '@:1/',
);
const password = fc
  .array(fc.tuple(secretText, reserved), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.flat().join(''));
const url = fc
  .tuple(
    fc.constantFrom('postgres://', 'postgresql://'),
    fc.constantFrom('me', 'some.user', ''),
    fc.constantFrom('db.example', '127.0.0.1', '[::1]', 'database'),
    fc.constantFrom(':5432/ledger', '/ledger', '', '/ledger?sslmode=require'),
    password,
    fc.constantFrom('authority', 'query', 'both'),
  )
  .map(([scheme, user, host, end, secret, where]) => {
    const query = `${end.includes('?') ? '&' : '?'}password=${secret}`;
    const authority = where === 'query' ? '' : `${user}:${secret}@`;
    return { text: `${scheme}${authority}${host}${end}${where === 'authority' ? '' : query}`, secret };
  });

/** Every run of four characters of the password that is not punctuation only. */
function partsOf(secret: string): string[] {
  const parts = Array.from({ length: Math.max(0, secret.length - 3) }, (_, at) => secret.slice(at, at + 4));
  return parts.filter((part) => /[QXZJKVW6789]{2}/.test(part));
}

const codes = [
  '3D000',
  '28000',
  '28P01',
  'ECONNREFUSED',
  'ENOTFOUND',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'no reply',
  '25006',
];

/** Everything that the service prints about this URL when it cannot start or use its database. */
function printed(text: string): string[] {
  try {
    const config = readConfig({ ...live, DATABASE_URL: text });
    if (config.mode !== 'live') throw new TypeError('The configuration is not live.');
    const lines: string[] = [];
    const logger = createLogger({
      level: 'info',
      secrets: secretsOfConfig(config),
      to: { write: (line: string) => void lines.push(line) },
    });
    logger.error({ err: new Error(`connect ${text}`), databaseUrl: text }, `cannot use ${text}`);
    const faults = codes.map((code) => describeStartFault(new DatabaseUnavailableError('x', { code }), config) ?? '');
    return [...lines, ...faults, describeStorage(config, 'existing')];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [error.message];
  }
}

test('security: no message or log line contains four characters of a database password, however it is spelt', () => {
  fc.assert(
    fc.property(url, ({ text, secret }) => {
      const output = printed(text).join('\n');
      const decoded = `${output}\n${decodeURIComponent(output.replace(/%(?![0-9a-fA-F]{2})/g, '%25'))}`;
      for (const part of partsOf(secret)) expect(decoded).not.toContain(part);
    }),
  );
});

test('security: an unescaped @ and / in the password are a fault that names the cure', () => {
  expect(printed('postgres://me:QXZJ@6789/KVWQ@db.example/ledger').join()).toContain('write @ as %40, / as %2F');
  expect(printed('postgres://me:QXZJ%406789@db.example/ledger').join('\n')).toContain(
    'PostgreSQL at db.example:5432 has no database "ledger" (3D000)',
  );
});
