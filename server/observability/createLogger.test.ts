import { expect, test } from 'vitest';
import { createLogger } from './createLogger.ts';
import { secretsOfUrl } from './redaction/secretsOfUrl.ts';

test('redacts secrets in every field of a line, including nested errors', () => {
  const lines: string[] = [];
  const url = 'https://user:passphrase@node.example/v2/abcdefghijkl?apikey=mnopqrstuv';
  const logger = createLogger({
    level: 'info',
    secrets: [...secretsOfUrl(url), 'k'.repeat(64)],
    to: { write: (line) => void lines.push(line) },
  });
  const cause = new Error(`HTTP request to ${url} failed`);
  logger.error({ err: new Error('outer', { cause }), error: cause, requestId: 'r-1' }, `key ${'k'.repeat(64)}`);
  logger.info({ path: '/v2/abcdefghijkl' }, 'x');
  const text = lines.join('');
  expect(text).toContain('r-1');
  expect(text).toContain('outer');
  expect(text).not.toMatch(/abcdefghijkl|mnopqrstuv|passphrase|k{64}/);
  for (const line of lines) expect(() => JSON.parse(line)).not.toThrow();
});

test('escapes control characters without changing the logged value', () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', secrets: [], to: { write: (line) => void lines.push(line) } });
  const name = 'US\u001b[2J\u0007\r\nDC\u202e\u200b\u{e0041}\u009b31m\u2028</script>';
  logger.info({ name }, name);
  const [line = ''] = lines;
  expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(line)).toMatchObject({ name, msg: name });
});

test('lists a password that contains a lone percent sign as a secret', () => {
  expect(secretsOfUrl('postgres://truefill:100%safe@db.example/main')).toContain('100%safe');
});
