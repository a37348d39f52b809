import { expect, test } from 'vitest';
import { createLogger } from './createLogger.ts';
import { secretsOfUrl } from './redaction/secretsOfUrl.ts';

test('default: a line carries its facts, and no secret, wherever an error hides it', () => {
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

test('behavior: nothing in a line steers a terminal, and it says the same', () => {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', secrets: [], to: { write: (line) => void lines.push(line) } });
  const name = 'US\u001b[2J\u0007\r\nDC\u202e\u200b\u{e0041}\u009b31m\u2028</script>';
  logger.info({ name }, name);
  const [line = ''] = lines;
  expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(JSON.parse(line)).toMatchObject({ name, msg: name });
});

test('behavior: a password with a lone percent sign in it is hidden as it stands', () => {
  expect(secretsOfUrl('postgres://truefill:100%safe@db.example/main')).toContain('100%safe');
});
