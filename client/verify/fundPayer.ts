import { type Address, encodeFunctionData, erc20Abi, type Hex, maxUint256, numberToHex } from 'viem';
import { VerificationError } from '../trade/errors.ts';
import { NodeError, type Rpc } from './rpc.ts';

/** Account overrides for one call. */
export type StateOverride = Record<Address, { code?: Hex; balance?: Hex; stateDiff?: Record<Hex, Hex> }>;

interface Funding {
  rpc: Rpc;
  block: Hex;
  token: Address;
  payer: Address;
  spender: Address;
  amount: bigint;
}

/** For tokens that store shares instead of balances. */
const largeShare = 2n ** 255n - 1n;

/**
 * The override that lets `payer` hold the amount and approve the spender. The node names the slots that `balanceOf` and
 * `allowance` read; each is tried until the token reports enough.
 * @throws {VerificationError} cannot-fund
 */
export async function fundPayer({ rpc, block, token, payer, spender, amount }: Funding): Promise<StateOverride> {
  const balanceOf = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [payer] });
  const allowance = encodeFunctionData({ abi: erc20Abi, functionName: 'allowance', args: [payer, spender] });
  const find = (data: Hex, values: readonly bigint[]) => findSlot({ rpc, block, token, data, amount, values });
  const held = await find(balanceOf, [amount, largeShare]);
  const approved = await find(allowance, [maxUint256, amount]);
  const override: StateOverride = { [held.contract]: { stateDiff: { [held.slot]: held.value } } };
  const stateDiff = { ...override[approved.contract]?.stateDiff, [approved.slot]: approved.value };
  return { ...override, [approved.contract]: { stateDiff } };
}

interface SlotQuestion {
  rpc: Rpc;
  block: Hex;
  token: Address;
  data: Hex;
  amount: bigint;
  values: readonly bigint[];
}

async function findSlot({ rpc, block, token, data, amount, values }: SlotQuestion) {
  const call = { to: token, data };
  for (const value of values) {
    for (const { contract, slot } of await readSlots(rpc, block, call)) {
      const stored = numberToHex(value, { size: 32 });
      const override: StateOverride = { [contract]: { stateDiff: { [slot]: stored } } };
      const read = await rpc<Hex>('eth_call', [call, block, override]).catch(unlessRefused);
      if (read !== undefined && read.length >= 66 && BigInt(read.slice(0, 66)) >= amount) {
        return { contract, slot, value: stored };
      }
    }
  }
  throw new VerificationError(
    'cannot-fund',
    `No storage slot of ${token} gives a test account the amount: the token keeps balances in an unusual way.`,
  );
}

async function readSlots(rpc: Rpc, block: Hex, call: object): Promise<{ contract: Address; slot: Hex }[]> {
  type AccessList = { accessList?: { address: Address; storageKeys: Hex[] }[] };
  try {
    const { accessList = [] } = await rpc<AccessList>('eth_createAccessList', [call, block]);
    return accessList.flatMap(({ address, storageKeys }) => storageKeys.map((slot) => ({ contract: address, slot })));
  } catch (cause) {
    if (!(cause instanceof NodeError)) throw cause;
    const message = `The node does not support eth_createAccessList, which finds the token's balances: ${cause.message}.`;
    throw new VerificationError('cannot-fund', message, { cause });
  }
}

/** Overriding a slot that is not a balance may break the token; the caller then tries the next slot. */
function unlessRefused(error: unknown): undefined {
  if (!(error instanceof NodeError)) throw error;
}
