import { encodeFunctionData, type Hex, parseAbi } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { gasPriceOracleStubArtifact } from '../../contracts/artifacts/sandbox/GasPriceOracleStub.ts';
import { priceFeedArtifact } from '../../contracts/artifacts/sandbox/PriceFeed.ts';
import type { PaymentService } from '../../server/payments/index.ts';
import { attemptOf, openPaymentFixture, type PaymentFixture, price } from './paymentFixture.ts';

// The gas of a settlement must cost less than the price of the call; otherwise no transaction is sent.

let fixture: PaymentFixture;
let other: PaymentFixture;
let snapshot: Hex;

const oracle = '0x420000000000000000000000000000000000000F';
const feed = '0x71041dddad3595F9CEd3DcCFBe3D1F4b0a16Bb70';

beforeAll(async () => {
  [fixture, other] = await Promise.all([openPaymentFixture('base'), openPaymentFixture('polygon')]);
  snapshot = await fixture.rpc<Hex>('evm_snapshot');
});
afterEach(async () => {
  await fixture.rpc('evm_revert', [snapshot]);
  snapshot = await fixture.rpc<Hex>('evm_snapshot');
});
afterAll(async () => {
  await fixture?.close();
  await other?.close();
});

/** A payment service that accepts payments on both networks. */
const openBoth = () =>
  fixture.openPaymentService({
    change: (config) => ({
      ...config,
      // No read between the fault and the payment: the settlement itself must find the fault.
      timings: { ...config.timings, offerCheckMs: 600_000 },
      networks: [...config.networks, ...other.paymentConfig(config.ledger, other.chain.rpcUrl).networks],
    }),
  });

async function send(to: Hex, data: Hex): Promise<void> {
  const from = '0x00000000000000000000000000000000000000f0';
  await fixture.rpc('anvil_setBalance', [from, '0xde0b6b3a7640000']);
  await fixture.rpc('anvil_impersonateAccount', [from]);
  await fixture.rpc('eth_sendTransaction', [{ from, to, data, gas: '0x30d40' }]);
}

const costFaults: Record<string, { arrange: () => Promise<unknown>; detail: RegExp; obstacle: string }> = {
  'an L1 fee above the price': {
    arrange: () =>
      send(
        oracle,
        encodeFunctionData({ abi: gasPriceOracleStubArtifact.abi, functionName: 'set', args: [10n ** 12n] }),
      ),
    obstacle: 'gas_price',
    detail: /would cost up to \d+\.\d+ USD, more than the price of the call, 0\.02 USD/,
  },
  'no L1 fee oracle': {
    arrange: () => fixture.rpc('anvil_setCode', [oracle, '0x']),
    obstacle: 'gas_cost_unknown',
    detail: /the fee for L1 data cannot be read/,
  },
  'a stale price feed': {
    arrange: () =>
      send(
        feed,
        encodeFunctionData({
          abi: priceFeedArtifact.abi,
          functionName: 'set',
          args: [2_500n * 10n ** 8n, 1n, BigInt(Math.floor(Date.now() / 1000) - 7_200)],
        }),
      ),
    obstacle: 'gas_cost_unknown',
    detail: /a fresh price of the native coin cannot be read/,
  },
  'no price feed': {
    arrange: () => fixture.rpc('anvil_setCode', [feed, '0x']),
    obstacle: 'gas_cost_unknown',
    detail: /the price of the native coin cannot be read/,
  },
  // Must stay the last case, because anvil keeps the base fee after a revert to a snapshot.
  'a base fee of 10 gwei': {
    arrange: async () => {
      await fixture.rpc('anvil_setNextBlockBaseFeePerGas', ['0x2540be400']);
      await fixture.rpc('evm_mine');
    },
    obstacle: 'gas_price',
    detail: /would cost up to \d+\.\d+ USD, more than the price of the call, 0\.02 USD/,
  },
};

/** Pays `paymentService` with a new wallet of the network of `payerFixture`. */
async function payFrom(payerFixture: PaymentFixture, paymentService: PaymentService) {
  const signing = await payerFixture.openPaymentService();
  const payer = await payerFixture.newPayer(price);
  const payload = await payerFixture.sign(signing.paymentService, payer);
  await signing.close();
  return { payer, decision: await paymentService.decide(attemptOf(payload)) };
}

test('default: a settlement costs less than the price of the call', async () => {
  const payer = await fixture.newPayer(price);
  const { paymentService, close } = await fixture.openPaymentService();
  expect((await paymentService.decide(attemptOf(await fixture.sign(paymentService, payer)))).kind).toBe('serve');
  const { transactions } = await fixture.client.getBlock({ includeTransactions: true });
  const [transaction] = transactions;
  const [, answer] = await fixture.client.readContract({
    address: feed,
    abi: parseAbi(['function latestRoundData() view returns (uint80, int256, uint256, uint256, uint80)']),
    functionName: 'latestRoundData',
  });
  const maxCostWei = (transaction?.gas ?? 0n) * (transaction?.maxFeePerGas ?? 0n);
  expect(maxCostWei).toBeGreaterThan(0n);
  expect((Number(maxCostWei) / 1e18) * (Number(answer) / 1e8)).toBeLessThan(0.02);
  await close();
});

test.each(Object.keys(costFaults))(
  'error: 503, uncharged, on a network with %s; payments on another network are served',
  async (name) => {
    const { arrange, detail, obstacle } = costFaults[name] as (typeof costFaults)[string];
    const payer = await fixture.newPayer(price);
    const { paymentService, close } = await openBoth();
    const payload = await fixture.sign(paymentService, payer);
    await arrange();
    const facilitator = fixture.walletOf('facilitator').address;
    const sent = await fixture.client.getTransactionCount({ address: facilitator });
    expect(await paymentService.decide(attemptOf(payload))).toMatchObject({
      status: 503,
      code: 'UPSTREAM_UNAVAILABLE',
      detail: expect.stringMatching(detail),
      headers: { 'Retry-After': '5' },
    });
    expect(paymentService.settlement()).toEqual({ 'eip155:8453': obstacle, 'eip155:137': 'ok' });
    expect(await fixture.usdcOf(payer.address)).toBe(price);
    expect(await fixture.client.getTransactionCount({ address: facilitator })).toBe(sent);

    const onOther = await payFrom(other, paymentService);
    expect(onOther.decision.kind).toBe('serve');
    expect(await other.usdcOf(onOther.payer.address)).toBe(0n);
    await close();
  },
);
