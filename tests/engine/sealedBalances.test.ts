import { encodeFunctionData, erc20Abi, isAddress } from 'viem';
import { beforeAll, expect, test } from 'vitest';
import { sealedTokenArtifact } from '../../contracts/artifacts/sandbox/SealedToken.ts';
import { type QuoteAnswer, type RpcEndpoint, RpcTransportError } from '../../engine/index.ts';
import type { SandboxChain } from '../../sandbox/index.ts';
import { useOpenChain } from '../support/useOpenChain.ts';
import { executed } from './executed.ts';
import { ledgerToken } from './ledgerToken.ts';
import { loopbackEndpoint } from './loopbackEndpoint.ts';
import { engineOver, tokenOf } from './market.ts';

// A token that takes 10 % of each transfer, and counts a balance that a state override wrote as zero.

const opened = useOpenChain('base');
let chain: SandboxChain;
beforeAll(async () => {
  chain = await opened.builder.list({
    tokens: [ledgerToken('SEALED', 2, sealedTokenArtifact)],
    pools: [{ venue: 'uniswap-v2', pair: ['SEALED', 'USDC'], usd: 100_000 }],
  });
});

const quote = (tokenIn: string, tokenOut: string, endpoint: RpcEndpoint = loopbackEndpoint(chain.rpcUrl)) => {
  const tokens = { tokenIn: tokenOf(chain, tokenIn).address, tokenOut: tokenOf(chain, tokenOut).address };
  return engineOver(chain, endpoint).quote({ chain: 'base', ...tokens, size: { tokenIn: '100' } });
};

const taxesOf = ({ flags }: QuoteAnswer) =>
  flags.filter(({ code }) => code === 'TRANSFER_TAX').map(({ facts }) => [facts?.side, facts?.taxBps]);

test('a sale is funded by a holder and paid to the wei, with the measured tax', async () => {
  const sale = await quote('SEALED', 'USDC');
  expect(taxesOf(sale)).toEqual([['sell', 1000]]);
  expect((await executed(chain, sale.route.legs, sale.amountIn, opened.trader))?.received).toBe(sale.amountOut);
});

test('taxBps is null and confidence low if the node returns no logs, so that no account can be funded', async () => {
  const { send } = loopbackEndpoint(chain.rpcUrl);
  const refusal = { error: { code: -32_005, message: 'query exceeds the range' } };
  const withoutLogs: RpcEndpoint = {
    label: 'without logs',
    send: async (calls, options) =>
      (await send(calls, options)).map((reply, index) => (calls[index]?.method === 'eth_getLogs' ? refusal : reply)),
  };
  const sale = await quote('SEALED', 'USDC', withoutLogs);
  expect(sale.amountOut).toBeGreaterThan(0n);
  expect(taxesOf(sale)).toEqual([['sell', null]]);
  expect(sale.confidence).toBe('low');
});

test('a purchase needs no funding with the token, and is paid to the wei', async () => {
  const buy = await quote('USDC', 'SEALED');
  expect(taxesOf(buy)).toEqual([['buy', 1000]]);
  expect((await executed(chain, buy.route.legs, buy.amountIn, opened.trader))?.received).toBe(buy.amountOut);
});

test('transfers to many contracts do not hide the holder that funds a sale', async () => {
  const before = await quote('SEALED', 'USDC');
  const { address } = tokenOf(chain, 'SEALED');
  const pools = chain.pools.flatMap(({ pool }) => (isAddress(pool) ? pool : [])).slice(0, 30);
  await opened.builder.perform(
    pools.map((pool) => ({
      to: address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [pool, 1_000n] }),
    })),
  );
  const sale = await quote('SEALED', 'USDC');
  expect(taxesOf(sale)).toEqual(taxesOf(before));
  expect((await executed(chain, sale.route.legs, sale.amountIn, opened.trader))?.received).toBe(sale.amountOut);
});

test('logs that are too large are requested once, and the sale is quoted unpaid', async () => {
  const { send } = loopbackEndpoint(chain.rpcUrl);
  let asked = 0;
  const engine = engineOver(chain, {
    label: 'large logs',
    async send(calls, options) {
      const isOwn = calls.some(
        ({ method, params }) => method === 'eth_getLogs' && JSON.stringify(params).includes(sealed()),
      );
      if (!isOwn) return send(calls, options);
      asked += 1;
      throw new RpcTransportError('large logs returned more than 8 MB.', { tooLarge: true });
    },
  });
  const tokens = { tokenIn: tokenOf(chain, 'SEALED').address, tokenOut: tokenOf(chain, 'USDC').address };
  const first = await engine.quote({ chain: 'base', ...tokens, size: { tokenIn: '100' } });
  expect(first.confidence).toBe('low');
  const askedFirst = asked;
  await engine.quote({ chain: 'base', ...tokens, size: { tokenIn: '101' } });
  expect([askedFirst > 0, asked]).toEqual([true, askedFirst]);
});

const sealed = () => tokenOf(chain, 'SEALED').address.toLowerCase();
