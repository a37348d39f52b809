import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitize, sanitizeJson } from '../../client/cli/sanitize.ts';
import { figure, table } from '../../client/cli/tables.ts';
import { html } from '../../docs-site/html.ts';
import { canonicalJson } from '../../router/ticket/canonicalJson.ts';
import { evilJson, wildText } from './arbitraries.ts';
import { beginFuzz } from './beginFuzz.ts';

beginFuzz();

const wild = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u;

test('escapes characters that control a terminal and leaves other text unchanged', () => {
  fc.assert(
    fc.property(wildText, fc.integer({ min: 1, max: 80 }), (text, longest) => {
      const shown = sanitize(text, longest);
      expect(shown).not.toMatch(wild);
      expect(shown.length).toBeLessThanOrEqual(longest + 1);
      if (!wild.test(text) && text.length <= longest) expect(shown).toBe(text);
      expect(table([['name', text]]).split('\n')).toHaveLength(1);
    }),
  );
});

test('JSON for a terminal parses to the same value and has no control characters', () => {
  fc.assert(
    fc.property(fc.oneof(evilJson, wildText, fc.dictionary(wildText, wildText)), (value) => {
      const text = sanitizeJson(value);
      for (const line of text.split('\n')) expect(line).not.toMatch(wild);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('shows a number as a number and null as not measured, never as 0', () => {
  fc.assert(
    fc.property(fc.option(fc.double({ noNaN: true })), (value) => {
      const shown = figure(value);
      expect(shown === 'not measured').toBe(value === null);
      if (value !== null && Math.abs(value) >= 1) expect(shown).not.toMatch(/^-?0$/);
    }),
  );
});

test('text cannot add a tag, an attribute or an entity to a page', () => {
  fc.assert(
    fc.property(wildText, (text) => {
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

test('the canonical text of a canonical text is unchanged', () => {
  fc.assert(
    fc.property(evilJson, (value) => {
      const text = canonicalJson(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    }),
  );
});
