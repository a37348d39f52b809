import { describe, expect, test } from 'vitest';
import { pretradeOutput } from '../../router/pretrade/pretradeOutput.ts';
import { quoteOutput } from '../../router/quote/quoteOutput.ts';
import { isFullSize } from '../support/proofSize.ts';
import { splitQuote } from '../support/splitQuote.ts';
import { linkTo } from './answerLinks.ts';
import { kindsOfAnswers } from './kindsOfAnswers.ts';
import { chromiumPath, screenshotFolder } from './siteBrowser.ts';
import { useSandboxSite } from './useSite.ts';

// What the page shows for answers of each kind.

const setup = useSandboxSite();

const views = [390, 768, 1440].flatMap((width) => [false, true].map((dark) => ({ width, dark })));

/** Adds up layout shifts from the start of the page. */
const countShifts = `
  globalThis.shifted = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shifted += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

/** The elements that reach beyond the window. */
const findWide = `[...document.querySelectorAll('main *')]
  .filter((each) => each.getBoundingClientRect().right > innerWidth)
  .map((each) => each.tagName + '.' + (each.getAttribute('class') ?? ''))
  .join(' ')`;

const kinds = Object.entries(kindsOfAnswers).map(([name, shared]): [string, string, string | undefined] => [
  name,
  linkTo(shared),
  undefined,
]);
test.each(Object.entries(kindsOfAnswers))('default: the answer %s is valid for its schema', (_name, { answer }) => {
  const { error } = ('verdict' in answer ? pretradeOutput : quoteOutput).safeParse(answer);
  expect(error?.issues ?? []).toEqual([]);
});

const pending = {
  path: '/v1/quote',
  body: JSON.stringify(kindsOfAnswers.split.request.body),
  paymentSignature: 'AAAA',
};

describe.skipIf(!chromiumPath)('every kind of answer', () => {
  test.each([
    ...kinds,
    [
      'pending-payment',
      '',
      `localStorage.setItem('truefill.pendingPayment.1.a', ${JSON.stringify(JSON.stringify(pending))})`,
    ],
    ['error', '#answer=AAAA', undefined],
  ] as [string, string, string | undefined][])(
    'default: %s fits each width, light and dark, without serious axe findings, and does not move while it loads',
    async (name, fragment, script) => {
      const { page, errors } = await setup.site.open('about:blank', { width: 390 });
      await page.addInitScript(countShifts);
      if (script) await page.addInitScript(script);
      await page.goto(`${setup.service.url}/${fragment}`, { waitUntil: 'networkidle' });
      await page.locator('.headline, .verdict, .notice.bad').first().waitFor();
      expect(await page.evaluate('shifted'), 'layout shift').toBeLessThan(0.05);
      // `npm test` looks at one view of each kind.
      const index = [...Object.keys(kindsOfAnswers), 'pending-payment', 'error'].indexOf(name);
      for (const { width, dark } of isFullSize ? views : views.slice(index % views.length).slice(0, 1)) {
        const view = `${name}-${width}${dark ? '-dark' : ''}`;
        await page.setViewportSize({ width, height: 860 });
        await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
        expect(await setup.site.findAccessibilityViolations(page), view).toEqual([]);
        const beyond = await page.evaluate('document.documentElement.scrollWidth - innerWidth');
        expect(beyond, `${view}: ${await page.evaluate(findWide)}`).toBeLessThanOrEqual(0);
        await page.screenshot({ path: `${screenshotFolder}answer-${view}.png`, fullPage: true });
      }
      expect(errors.filter((error) => !error.includes('another origin'))).toEqual([]);
      await page.close();
    },
  );
});

describe.skipIf(!chromiumPath)('names of tokens', () => {
  test('security: a token of another chain with the address of a listed one is shown by its address', async () => {
    const shared = kindsOfAnswers.split;
    const answer = { ...shared.answer, chain: 'polygon' };
    const { page } = await setup.site.open(`${setup.service.url}/${linkTo({ ...shared, answer })}`);
    await page.locator('.headline').waitFor();
    expect(await page.locator('.result + .under').textContent()).toContain('for 100 0x4200…0006 ');
    await page.close();
  });

  test('security: a token with the symbol of a listed one is called another one, without its icon', async () => {
    const shared = kindsOfAnswers.clear;
    const answer = { ...shared.answer, token: `0x${'12'.repeat(20)}` };
    const { page } = await setup.site.open(`${setup.service.url}/${linkTo({ ...shared, answer })}`);
    await page.getByText('This is not the listed WETH, which is 0x4200000000000000000000000000000000000006.').waitFor();
    expect(await page.locator('.subject img').count()).toBe(0);
    expect(await page.locator('.subject svg').textContent()).toBe('WET');
    await page.goto('about:blank');
    await page.goto(`${setup.service.url}/${linkTo(shared)}`);
    await page.locator('.verdict').waitFor();
    expect(await page.getByText('This is not the listed').count()).toBe(0);
    const icon = page.locator('.subject img');
    const src = (await icon.getAttribute('src')) ?? '';
    expect(src).toMatch(/^\/assets\/eth\.[0-9a-f]{10}\.svg$/);
    const isDrawn = () => icon.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth > 0);
    await expect.poll(isDrawn).toBe(true);
    const { headers } = await fetch(setup.service.url + src);
    expect(headers.get('cache-control')).toContain('immutable');
    await page.close();
  });

  test('security: a token of another chain with the address of a listed one has no icon', async () => {
    const shared = kindsOfAnswers.split;
    const { page } = await setup.site.open(`${setup.service.url}/${linkTo(shared)}`);
    await page.locator('.result img').waitFor();
    await page.goto('about:blank');
    await page.goto(`${setup.service.url}/${linkTo({ ...shared, answer: { ...shared.answer, chain: 'polygon' } })}`);
    await page.locator('.headline').waitFor();
    expect(await page.locator('.result img').count()).toBe(0);
    await page.close();
  });
});

const { chain, tokenIn, tokenOut } = splitQuote;
const request = { path: '/v1/quote', body: { chain, tokenIn, tokenOut, sizeIn: '100' } };
const gas = { code: 'ROUTE_GAS', severity: 'info', message: 'The swaps of this route use 412000 gas.', gas: 412_000 };

describe.skipIf(!chromiumPath)('no route', () => {
  test('default: the headline is one sentence, and what would help follows it', async () => {
    const { page } = await setup.site.open(`${setup.service.url}/${linkTo(kindsOfAnswers['no-route'])}`);
    await page.locator('.headline').waitFor();
    expect(await page.locator('.headline').textContent()).toBe('No covered venue fills this size.');
    expect(await page.locator('.result + p').textContent()).toMatch(/^Request a smaller size or another pair\. This/);
    expect(await page.locator('.answer').textContent()).toContain('on base, read at block');
    await page.close();
  });
});

describe.skipIf(!chromiumPath)('values in USD', () => {
  test.each([
    [
      'known',
      { gasUsd: 0.0032, valueInUsd: 300_000, valueOutUsd: 299_000.4 },
      ['$299,000.40', '($300,000.00)', '$0.0032'],
    ],
    [
      'not known',
      { gasUsd: null, valueInUsd: null, valueOutUsd: null },
      ['USD value not known', 'for 100 WETH on base', 'USD value not known'],
    ],
    [
      'another type, in an edited link',
      { gasUsd: '1', valueInUsd: {}, valueOutUsd: 'NaN' },
      ['USD value not known', 'for 100 WETH on base', 'USD value not known'],
    ],
  ])('default: %s: shown beside the amounts and the gas', async (_name, values, [received, sold, spent]) => {
    const answer = { ...splitQuote, flags: [{ ...gas, ...values }] };
    const { page, errors } = await setup.site.open(`${setup.service.url}/${linkTo({ request, answer })}`);
    await page.locator('.headline').waitFor();
    expect(await page.locator('.worth').textContent()).toBe(received);
    expect(await page.locator('.result + .under').textContent()).toContain(sold);
    const figures = page.locator('.figures > div').filter({ hasText: 'Gas of the swaps' });
    expect(await figures.locator('dd').allTextContents()).toEqual([spent, '412,000 gas']);
    expect(errors).toEqual([]);
    await page.close();
  });
});
