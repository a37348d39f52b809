import express from 'express';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAddressLimit } from '../../server/http/limits/addressLimit.ts';
import { createRateWindow } from '../../server/http/limits/rateWindow.ts';
import { createLogger } from '../../server/observability/createLogger.ts';
import { methodOf, routeOf } from '../../server/observability/instrumentation/requestLabels.ts';
import { createRedactor } from '../../server/observability/redaction/createRedactor.ts';
import { hostileJson, hostileText } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

const secret = fc
  .string({ unit: 'grapheme-ascii', minLength: 8, maxLength: 40 })
  .filter((text) => text.trim().length >= 8);

test('security: a log line hides each secret, also percent-encoded, has no control characters and is valid JSON', () => {
  fc.assert(
    fc.property(secret, hostileText, hostileJson, (hidden, text, facts) => {
      let line = '';
      const to = {
        write(written: string) {
          line = written;
        },
      };
      const logger = createLogger({ level: 'info', secrets: [hidden], to });
      const forms = [hidden, encodeURIComponent(hidden)];
      logger.error({ facts, err: new Error(`${forms[0]} and ${forms[1]}`), path: forms[0] }, `${text}${hidden}`);
      const read = JSON.parse(line) as Record<string, unknown>;
      for (const form of forms) expect(JSON.stringify([read.msg, read.path, read.err])).not.toContain(form);
      expect(line.trimEnd()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      expect(line.trimEnd().split('\n')).toHaveLength(1);
    }),
  );
});

test('security: the redactor hides every secret and nothing else', () => {
  fc.assert(
    fc.property(secret, fc.stringMatching(/^[a-z ]{0,60}$/), (hidden, text) => {
      const redact = createRedactor([hidden]);
      expect(redact(text)).toBe(text.includes(hidden) ? text.replaceAll(hidden, '[hidden]') : text);
      expect(redact(`${text} ${hidden} ${text}`)).not.toContain(hidden);
    }),
  );
});

test('behavior: the route and method labels of metrics have fewer than 25 values in all, for any request', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(
      fc.oneof(fc.webPath(), hostileText, fc.constantFrom('__proto__', '/docs/', '/docs/__proto__')),
      (target) => {
        seen.add(routeOf(target));
        seen.add(routeOf(`/${target}`));
        seen.add(methodOf(target));
      },
    ),
    { numRuns: 3_000 },
  );
  expect(seen.size).toBeLessThan(25);
});

test('security: the rate limit uses one short key for a client, whatever X-Forwarded-For contains', () => {
  const forwarded = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.tuple(fc.ipV4(), fc.nat(65_535)).map(([ip, port]) => `${ip}:${port}`),
    fc.ipV6().map((ip) => `[${ip}]:443`),
    fc.nat(12_000).map((length) => 'x'.repeat(length)),
    fc.stringMatching(/^[\x21-\x7e, ]{0,200}$/),
  );
  fc.assert(
    fc.property(forwarded, fc.nat(3), (text, trusted) => {
      const counted: string[] = [];
      const window = createRateWindow({ now: () => 0 });
      const limit = createAddressLimit(
        2,
        {
          ...window,
          hit(subject) {
            counted.push(subject);
            return window.hit(subject);
          },
        },
        () => 0,
      );
      const app = express().set('trust proxy', trusted);
      const { ip } = Object.assign(Object.create(app.request), {
        app,
        socket: { remoteAddress: '127.0.0.1' },
        headers: { 'x-forwarded-for': text },
      }) as { ip: string | undefined };
      expect(limit(ip).refusal).toBeUndefined();
      expect(limit(ip).refusal).toBeUndefined();
      expect(limit(ip).refusal?.code).toBe('RATE_LIMITED');
      for (const subject of counted) expect(subject.length).toBeLessThan(60);
      expect(new Set(counted).size).toBe(1);
    }),
  );
});
