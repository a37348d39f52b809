import type { Address, Hex, PrivateKeyAccount } from 'viem';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { type RpcProxy, startRpcProxy } from '../../sandbox/index.ts';
import { attemptOf, openPayWorld, type PayWorld, price } from './payWorld.ts';

// Attackers who try to make the facilitator spend gas without paying. The chain's receipts are the judge.

let world: PayWorld;
let proxy: RpcProxy;
let facilitator: Address;

/** geth estimates on the latest block when the request names none; anvil takes the pending one. */
const estimateAtLatest: RpcProxy['fault'] = (calls) =>
  calls.some(({ method }) => method === 'eth_estimateGas')
    ? {
        kind: 'alter',
        ask: (asked) =>
          asked.map((call) =>
            call.method === 'eth_estimateGas'
              ? { ...call, params: [call.params[0], call.params[1] ?? 'latest'] }
              : call,
          ),
      }
    : undefined;

beforeAll(async () => {
  world = await openPayWorld();
  proxy = await startRpcProxy(world.chain.rpcUrl);
  facilitator = world.walletOf('facilitator').address;
});
afterEach(async () => {
  await world.rpc('evm_setIntervalMining', [0]);
  await world.rpc('evm_setAutomine', [true]);
  proxy.fault = () => undefined;
});
afterAll(async () => {
  await proxy?.close();
  await world?.close();
});

const openCashier = () => {
  proxy.fault = estimateAtLatest;
  return world.openCashier({
    rpcUrl: proxy.url,
    change: (config) => ({ ...config, timings: { ...config.timings, settleDeadlineMs: 60_000, rpcTimeoutMs: 60_000 } }),
  });
};

/** What the facilitator's transactions since a block did. */
async function facilitatorSpending(since: bigint): Promise<{ paid: number; reverted: number; gas: bigint }> {
  const latest = await world.client.getBlockNumber();
  const spent = { paid: 0, reverted: 0, gas: 0n };
  for (let blockNumber = since + 1n; blockNumber <= latest; blockNumber += 1n) {
    const { transactions } = await world.client.getBlock({ blockNumber, includeTransactions: true });
    for (const { from, hash } of transactions) {
      if (from.toLowerCase() !== facilitator.toLowerCase()) continue;
      const receipt = await world.client.getTransactionReceipt({ hash });
      if (receipt.status === 'success') spent.paid += 1;
      else {
        spent.reverted += 1;
        spent.gas += receipt.gasUsed;
      }
    }
  }
  return spent;
}

test('security: of 100 simultaneous payments of a wallet that can afford one, one pays and at most two revert', async () => {
  const { cashier, close } = await openCashier();
  const payer = await world.newPayer(price);
  const payloads = await Promise.all(Array.from({ length: 100 }, () => world.sign(cashier, payer)));
  const since = await world.client.getBlockNumber();
  await world.rpc('evm_setAutomine', [false]);
  await world.rpc('evm_setIntervalMining', [1]);
  const admissions = await Promise.all(
    payloads.map((payload, index) => cashier.admit(attemptOf(payload, `{"size":"${index}"}`))),
  );
  const served = admissions.filter(({ kind }) => kind === 'serve');
  expect(served).toHaveLength(1);
  const spent = await facilitatorSpending(since);
  expect(spent.paid).toBe(1);
  expect(spent.reverted).toBeLessThanOrEqual(2);
  for (const admission of admissions) {
    if (admission.kind !== 'refuse') continue;
    expect([402, 429]).toContain(admission.status);
    expect(admission.detail).toContain('Nothing was charged');
  }
  await close();
});

/** Runtime code of an ERC-1271 wallet that accepts any signature while `block.number <= last`, and reverts afterwards. */
const acceptsUntil = (last: bigint, salt = 0): Hex => {
  const number = last.toString(16).padStart(16, '0');
  const unused = salt.toString(16).padStart(8, '0');
  // PUSH8 last NUMBER GT PUSH1 end JUMPI PUSH4 magic PUSH1 e0 SHL PUSH0 MSTORE PUSH1 20 PUSH0 RETURN JUMPDEST PUSH0 PUSH0 REVERT
  return `0x67${number}4311601d57631626ba7e60e01b5f5260205ff3${'00'.repeat(2)}5b5f5ffd63${unused}`;
};

/** Runtime code of a clone that delegates everything to one wallet. */
const cloneOf = (address: Address): Hex => `0x363d3d373d3d3d363d73${address.slice(2)}5af43d82803e903d91602b57fd5bf3`;

type CodeOf = (wallets: readonly PrivateKeyAccount[], last: bigint) => Promise<void>;

const setCode = (address: Address, code: Hex) => world.rpc('anvil_setCode', [address, code]);

const attacks: Record<string, { wallets: number; arm: CodeOf }> = {
  'one wallet': {
    wallets: 1,
    arm: async ([wallet], last) => {
      if (wallet) await setCode(wallet.address, acceptsUntil(last));
    },
  },
  '60 clones': {
    wallets: 60,
    arm: async (wallets, last) => {
      const logic: Address = '0x00000000000000000000000000000000001271aa';
      await setCode(logic, acceptsUntil(last));
      for (const { address } of wallets) await setCode(address, cloneOf(logic));
    },
  },
  '60 different codes': {
    wallets: 60,
    arm: async (wallets, last) => {
      for (const [index, { address }] of wallets.entries()) await setCode(address, acceptsUntil(last, index + 1));
    },
  },
};

test.each(Object.keys(attacks))(
  'security: 60 payments of contract wallets that accept only in the simulated block (%s) cost at most 300,000 gas',
  { timeout: 180_000 },
  async (name) => {
    const attack = attacks[name];
    if (!attack) throw new Error(`No attack ${name}.`);
    const { cashier, close } = await openCashier();
    const wallets = await Promise.all(Array.from({ length: attack.wallets }, () => world.newPayer(price)));
    const since = await world.client.getBlockNumber();
    for (let index = 0; index < 60; index += 1) {
      const wallet = wallets[index % wallets.length] as PrivateKeyAccount;
      const payload = await world.sign(cashier, wallet);
      await attack.arm(attack.wallets === 1 ? wallets : [wallet], await world.client.getBlockNumber());
      await cashier.admit(attemptOf(payload, `{"size":"${index}"}`));
    }
    const spent = await facilitatorSpending(since);
    expect(spent).toMatchObject({ paid: 0 });
    expect(spent.gas).toBeLessThanOrEqual(300_000n);
    for (const { address } of wallets) expect(await world.usdcOf(address)).toBe(price);
    await close();
  },
);
