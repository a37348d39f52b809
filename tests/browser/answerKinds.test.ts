import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type StartedSandbox, startedSandbox } from '../client/startedSandbox.ts';
import { splitQuote } from '../support/splitQuote.ts';
import { linkTo } from './answerLinks.ts';
import { chromiumPath, openSiteBrowser, type SiteBrowser } from './siteBrowser.ts';

// What the page shows for answers of each kind.

let service: StartedSandbox;
let site: SiteBrowser;
beforeAll(async () => {
  service = await startedSandbox();
  site = await openSiteBrowser();
});
afterAll(async () => {
  await site?.close();
  await service?.close();
});

const { chain, tokenIn, tokenOut } = splitQuote;
const request = { path: '/v1/quote', body: { chain, tokenIn, tokenOut, sizeIn: '100' } };
const gas = { code: 'ROUTE_GAS', severity: 'info', message: 'The swaps of this route use 412000 gas.', gas: 412_000 };

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
    const { page, errors } = await site.open(`${service.url}/${linkTo({ request, answer })}`);
    await page.locator('.headline').waitFor();
    expect(await page.locator('.worth').textContent()).toBe(received);
    expect(await page.locator('.result + .under').textContent()).toContain(sold);
    const figures = page.locator('.figures > div').filter({ hasText: 'Gas of the swaps' });
    expect(await figures.locator('dd').allTextContents()).toEqual([spent, '412,000 gas']);
    expect(errors).toEqual([]);
    await page.close();
  });
});
