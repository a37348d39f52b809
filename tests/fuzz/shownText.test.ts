import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitize, sanitizeJson } from '../../client/cli/sanitize.ts';
import { figure, table } from '../../client/cli/tables.ts';
import { html } from '../../docs-site/html.ts';
import { canonicalJson } from '../../router/ticket/canonicalJson.ts';
import { hostileJson, hostileText } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

const controls = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('security: escapes characters that control a terminal and leaves other text unchanged', () => {
  fc.assert(
    fc.property(hostileText, fc.integer({ min: 1, max: 80 }), (text, maxLength) => {
      const shown = sanitize(text, maxLength);
      expect(shown).not.toMatch(controls);
      expect(shown.length).toBeLessThanOrEqual(maxLength + 1);
      if (!controls.test(text) && text.length <= maxLength) expect(shown).toBe(text);
      expect(table([['name', text]]).split('\n')).toHaveLength(1);
    }),
  );
});

test('security: JSON for a terminal parses to the same value and has no control characters', () => {
  fc.assert(
    fc.property(fc.oneof(hostileJson, hostileText, fc.dictionary(hostileText, hostileText)), (value) => {
      const text = sanitizeJson(value);
      for (const line of text.split('\n')) expect(line).not.toMatch(controls);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('behavior: shows null as `not measured`, and no number of at least 1 as 0', () => {
  fc.assert(
    fc.property(fc.option(fc.double({ noNaN: true })), (value) => {
      const shown = figure(value);
      expect(shown === 'not measured').toBe(value === null);
      if (value !== null && Math.abs(value) >= 1) expect(shown).not.toMatch(/^-?0$/);
    }),
  );
});

test('security: text adds no tag, attribute or entity to a page', () => {
  fc.assert(
    fc.property(hostileText, (text) => {
      const page = html`<p title="${text}">${text}</p>`.text;
      const inside = page.slice('<p title="'.length, -'</p>'.length);
      const [attribute = '', ...more] = inside.split('">');
      expect(more).toHaveLength(1);
      for (const part of [attribute, more[0] ?? '']) {
        expect(part).not.toMatch(/[<>"']/);
        expect(part.replace(/&(?:amp|lt|gt|quot|#39);/g, '')).not.toContain('&');
      }
    }),
  );
});

test('behavior: canonicalJson is idempotent', () => {
  fc.assert(
    fc.property(hostileJson, (value) => {
      const text = canonicalJson(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});
