import {
  type Address,
  concatHex,
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  type Hex,
  keccak256,
  numberToHex,
  padHex,
} from 'viem';
import { funderArtifact } from '../../../contracts/artifacts/lens/Funder.ts';
import { fundingLensArtifact } from '../../../contracts/artifacts/lens/FundingLens.ts';
import type { StateOverride } from '../../../engine/chain/lensCall.ts';
import type { RpcCall, RpcReply } from '../../../engine/chain/rpcEndpoint.ts';
import { toLowerAddress } from '../../../engine/lowerAddress.ts';
import { testNode } from './testNode.ts';

// A node for tests of the funding: its token reads the slots of a state override, and its holders can send.

export const token = toLowerAddress(`0x${'12'.repeat(20)}`);
const word = (value: Hex | bigint): Hex => padHex(typeof value === 'bigint' ? numberToHex(value) : value, { size: 32 });
/** The slot of a mapping's value in Solidity's storage layout. */
export const soliditySlot = (index: bigint, ...keys: readonly Address[]): Hex =>
  keys.reduce<Hex>((slot, key) => keccak256(concatHex([word(key), slot])), word(index));
export const vyperSlot = (index: bigint, ...keys: readonly Address[]): Hex =>
  keys.reduce<Hex>((slot, key) => keccak256(concatHex([slot, word(key)])), word(index));

export interface TestToken {
  /** The slots of a balance and of an allowance; undefined: not in storage. */
  balance?: (holder: Address) => Hex;
  allowance?: (owner: Address, spender: Address) => Hex;
  /** The contract with the slots; by default, the token. */
  store?: Address;
  /** The balance for a stored value. */
  balanceOf?: (stored: bigint) => bigint;
  decimals?: bigint;
  supply?: bigint;
  /** False: the node has no eth_createAccessList. */
  hasAccessLists?: boolean;
  /** Further slots that each read accesses, before its own. */
  slotsBefore?: readonly { address: Address; storageKeys: readonly Hex[] }[];
  /** Replies to other calls: logs, codes, balances of accounts, and what a new account holds after a step. */
  logs?: (call: RpcCall) => RpcReply;
  codes?: Record<Address, Hex>;
  balances?: Record<Address, bigint>;
  received?: (step: { account: Address; data: Hex }) => bigint;
}

const failed: RpcReply = { error: { code: -32_000, message: 'execution reverted' } };
export const testHeader = {
  ...{ number: '0x8000', timestamp: '0x64', baseFeePerGas: '0x1' },
  ...{ hash: `0x${'11'.repeat(32)}`, parentHash: `0x${'22'.repeat(32)}` },
} as const;

/** A node with this token, and the calls that it received by request. */
export function tokenNode(token_: TestToken) {
  const {
    balance,
    allowance,
    store = token,
    balanceOf = (stored) => stored,
    decimals = 18n,
    supply = 10n ** 24n,
  } = token_;
  const requests: RpcCall[][] = [];
  const storedAt = (override: StateOverride | undefined, slot: Hex | undefined): bigint => {
    const value = slot && override?.[store]?.stateDiff?.[slot];
    return value ? BigInt(value) : 0n;
  };
  const readBalance = (override: StateOverride | undefined, holder: Address) =>
    balanceOf(storedAt(override, balance?.(holder)));
  const readAllowance = (override: StateOverride | undefined, owner: Address, spender: Address) =>
    storedAt(override, allowance?.(owner, spender));

  function lensReply(data: Hex, override: StateOverride): RpcReply {
    const { args } = decodeFunctionData({ abi: fundingLensArtifact.abi, data });
    const [, holders, owners, spender] = args;
    const result = {
      ...{ decimals, supply },
      balances: holders.map((holder) => readBalance(override, holder)),
      allowances: owners.map((owner) => readAllowance(override, owner, spender)),
    };
    return { result: encodeFunctionResult({ abi: fundingLensArtifact.abi, functionName: 'read', result }) };
  }
  function funderReply(data: Hex): RpcReply {
    const { functionName, args } = decodeFunctionData({ abi: funderArtifact.abi, data });
    if (functionName !== 'probe') return failed;
    const [step] = args[1];
    return { result: word((step && token_.received?.(step)) ?? 0n) };
  }
  function tokenReply(data: Hex, override: StateOverride | undefined): RpcReply {
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
    if (functionName === 'balanceOf') {
      const [holder] = args;
      return { result: word(token_.balances?.[toLowerAddress(holder)] ?? readBalance(override, holder)) };
    }
    if (functionName !== 'allowance') return failed;
    const [owner, spender] = args;
    return { result: word(readAllowance(override, owner, spender)) };
  }
  function accessList(data: Hex): RpcReply {
    if (token_.hasAccessLists === false) return { error: { code: -32_601, message: 'no method' } };
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data });
    const [a, b] = args as readonly [Address, Address];
    const slot = functionName === 'balanceOf' ? balance?.(a) : allowance?.(a, b);
    const own = slot ? [{ address: store, storageKeys: [slot] }] : [];
    return { result: { accessList: [...(token_.slotsBefore ?? []), ...own], gasUsed: '0x1' } };
  }
  function replyTo(call: RpcCall): RpcReply {
    const { method, params } = call;
    if (method === 'eth_getBlockByNumber') return { result: testHeader };
    if (method === 'eth_getLogs') return token_.logs?.(call) ?? { result: [] };
    if (method === 'eth_getCode') return { result: token_.codes?.[params[0] as Address] ?? '0x' };
    const [{ to, data }, , override] = params as [{ to: Address; data: Hex }, Hex, StateOverride | undefined];
    if (method === 'eth_createAccessList') return accessList(data);
    if (to === token) return tokenReply(data, override);
    return override?.[token] ? lensReply(data, override) : funderReply(data);
  }
  const node = testNode(
    {
      chain: 'base',
      async send(calls) {
        requests.push([...calls]);
        return calls.map(replyTo);
      },
    },
    { checked: true, baseFee: 1n },
  );
  return { node, requests };
}
