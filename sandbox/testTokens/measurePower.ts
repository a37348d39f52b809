import { type Abi, type Address, encodeFunctionData, type Hex, hexToBigInt, pad } from 'viem';
import { saleControllerArtifact } from '../../contracts/artifacts/testTokens/SaleController.ts';
import { buy, equip, giveTokens, sell, type TradeSetup } from './measurement/holdings.ts';
import {
  advanceBlocks,
  balanceOf,
  freshWallet,
  sendUnlockedAndMine,
  succeeded,
  type Trader,
  withRevert,
} from './measurement/traders.ts';
import type { OwnerPower } from './testTokenTypes.ts';

const controllerSelector: Hex = '0xf77c4791';
const totalSupplySelector: Hex = '0x18160ddd';

/** Uses a power in a real transaction against a wallet that bought, and returns the effect. */
export async function measurePower(setup: TradeSetup, power: OwnerPower): Promise<OwnerPower['effect'] | 'nothing'> {
  const { node, testToken, environment } = setup;
  const [holder, bystander, thief] = ['holder', 'bystander', 'thief'].map((role) =>
    freshWallet(`${testToken.symbol} ${role}`),
  ) as [Trader, Trader, Trader];
  const amount = 1000n * 10n ** BigInt(testToken.decimals);
  return withRevert(node, async () => {
    await equip(setup, holder);
    await equip(setup, bystander);
    const held = await buy(setup, holder);
    if (!held || !(await giveTokens(setup, bystander.address, amount)))
      throw new Error(`${testToken.symbol}: the holders could not get tokens.`);
    const read = async () => ({
      supply: hexToBigInt(
        await node.call<Hex>('eth_call', [{ to: testToken.address, data: totalSupplySelector }, 'latest']),
      ),
      holder: await balanceOf(node, testToken.address, holder.address),
      owner: await balanceOf(node, testToken.address, environment.testTokens.deployer),
      insider: await balanceOf(node, testToken.address, environment.testTokens.insider),
    });
    const before = await read();
    await usePower(setup, power, { holder: holder.address, thief: thief.address, amount, all: held.amount });
    if (power.beginsAfter) await advanceBlocks(node, 1, power.beginsAfter);
    const after = await read();
    if (after.holder === 0n) return 'seize';
    const holdersTax = await sell(setup, holder, held.amount / 2n);
    const bystandersTax = await sell(setup, bystander, amount / 2n);
    if (holdersTax === undefined) {
      if ((await sell(setup, holder, held.amount / 10_000n)) !== undefined) return 'limit-trades';
      return bystandersTax === undefined ? 'block-all-sales' : 'block-holder';
    }
    const raised = (['supply', 'owner', 'insider'] as const).some((name) => after[name] >= before[name] + amount);
    if (raised) return 'mint';
    return holdersTax > 0.5 ? 'raise-tax' : 'nothing';
  });
}

async function usePower(
  { node, testToken, environment }: TradeSetup,
  { by, external, functionName, args }: OwnerPower,
  accounts: { holder: Address; thief: Address; amount: bigint; all: bigint },
): Promise<void> {
  const values = args.map((arg) => {
    if (arg === 'holders') return [accounts.holder];
    if (arg === 'holderNumber') return BigInt(accounts.holder);
    if (arg === 'holderBytes') return pad(accounts.holder);
    if (arg === 'holderEntries') return [{ account: accounts.holder, value: 1 }];
    if (arg === 'holderListing') return { account: accounts.holder, value: 1, reason: 'listed' };
    if (arg === 'highFees') return { buy: 9_000, sell: 9_000 };
    if (arg === 'pool') return testToken.pools[0]?.pool;
    if (arg === 'pools') return testToken.pools.map(({ pool }) => pool);
    if (arg === 'holder' || arg === 'thief' || arg === 'amount' || arg === 'all') return accounts[arg];
    return typeof arg === 'number' ? BigInt(arg) : arg;
  });
  const abi = (external ? saleControllerArtifact.abi : testToken.abi) as Abi;
  const data = encodeFunctionData({ abi, functionName, args: values });
  const from = by === 'owner' || external ? environment.testTokens.deployer : environment.testTokens.insider;
  const to = external ? await readController(node, testToken.address) : testToken.address;
  if (!succeeded(await sendUnlockedAndMine(node, from, [{ to, data }]))) {
    throw new Error(`${testToken.symbol}: ${functionName}() reverted for the account "${by}".`);
  }
}

async function readController(node: TradeSetup['node'], token: Address): Promise<Address> {
  const word = await node.call<Hex>('eth_call', [{ to: token, data: controllerSelector }, 'latest']);
  return `0x${word.slice(-40)}`;
}
