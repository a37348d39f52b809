import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  encodePacked,
  type Hex,
  parseAbi,
  parseAbiParameters,
  zeroAddress,
} from 'viem';
import { afterSlippage, isSameAddress, type Leg, type Plan, type PoolKey } from './plan.ts';

const abi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable']);

// Uniswap/universal-router 2.0, contracts/libraries/Commands.sol
const commands = {
  v3SwapExactIn: 0x00,
  permit2TransferFrom: 0x02,
  v2SwapExactIn: 0x08,
  wrapEth: 0x0b,
  unwrapWeth: 0x0c,
  v4Swap: 0x10,
} as const;
// Uniswap/v4-periphery, src/libraries/Actions.sol: SWAP_EXACT_IN_SINGLE, SETTLE, TAKE
const settleSwapTake: Hex = '0x0b060e';
// src/libraries/ActionConstants.sol
const routerItself: Address = '0x0000000000000000000000000000000000000002';
const wholeBalance = 1n << 255n;
const openDelta = 0n;

const swapInput = {
  v3: parseAbiParameters('address recipient, uint256 amountIn, uint256 minOut, bytes path, bool payerIsUser'),
  v2: parseAbiParameters('address recipient, uint256 amountIn, uint256 minOut, address[] path, bool payerIsUser'),
  v4: parseAbiParameters('bytes actions, bytes[] params'),
};
const singleSwap = parseAbiParameters([
  'Swap swap',
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'struct Swap { PoolKey poolKey; bool zeroForOne; uint128 amountIn; uint128 minOut; bytes hookData; }',
]);
const tokenRecipientAmount = parseAbiParameters('address, address, uint256');

interface Command {
  code: number;
  input: Hex;
}

interface UniversalOrder {
  plan: Plan;
  wrappedNative: Address;
  taker: Address;
  slippageBps: number;
  deadline: bigint;
}

/**
 * Encodes `execute` of the Universal Router. Permit2 transfers tokenIn from the taker; the router receives intermediate
 * tokens. The last leg that sells an intermediate token sells the router's whole balance. Each leg that buys tokenOut pays
 * the taker and has its own minimum: a transfer from the router could be taxed.
 */
export function encodeUniversal({ plan, wrappedNative, taker, slippageBps, deadline }: UniversalOrder): Hex {
  const { legs, tokenOut } = plan;
  const steps = legs.flatMap((leg, index): Command[] => {
    const isFinal = leg.tokenOut === tokenOut;
    const isLastSale = !legs.slice(index + 1).some(({ tokenIn }) => tokenIn === leg.tokenIn);
    const fill: Fill = {
      leg,
      wrappedNative,
      payerIsUser: leg.tokenIn === plan.tokenIn,
      isLastSale,
      recipient: isFinal ? taker : routerItself,
      minOut: isFinal ? afterSlippage(leg.amountOut, slippageBps) : 0n,
    };
    return leg.poolKey ? v4Commands(fill, leg.poolKey) : [swapCommand(fill)];
  });
  const codes = encodePacked(
    steps.map(() => 'uint8' as const),
    steps.map(({ code }) => code),
  );
  return encodeFunctionData({ abi, functionName: 'execute', args: [codes, steps.map(({ input }) => input), deadline] });
}

interface Fill {
  leg: Leg;
  wrappedNative: Address;
  payerIsUser: boolean;
  isLastSale: boolean;
  recipient: Address;
  minOut: bigint;
}

function swapCommand({ leg, payerIsUser, isLastSale, recipient, minOut }: Fill): Command {
  const amountIn = payerIsUser || !isLastSale ? leg.amountIn : wholeBalance;
  const { tokenIn, tokenOut, feePips } = leg;
  if (leg.venue === 'uniswap-v2') {
    const args = [recipient, amountIn, minOut, [tokenIn, tokenOut], payerIsUser] as const;
    return { code: commands.v2SwapExactIn, input: encodeAbiParameters(swapInput.v2, args) };
  }
  const path = encodePacked(['address', 'uint24', 'address'], [tokenIn, feePips, tokenOut]);
  const args = [recipient, amountIn, minOut, path, payerIsUser] as const;
  return { code: commands.v3SwapExactIn, input: encodeAbiParameters(swapInput.v3, args) };
}

/** Pools of the native coin need unwrapping before and wrapping after the swap. The unsold rest is wrapped again. */
function v4Commands(fill: Fill, key: PoolKey): Command[] {
  const { leg, wrappedNative, payerIsUser, isLastSale, recipient } = fill;
  const toCurrency = (token: Address) =>
    token === wrappedNative && key.currency0 === zeroAddress ? zeroAddress : token;
  const [currencyIn, currencyOut] = [toCurrency(leg.tokenIn), toCurrency(leg.tokenOut)];
  const sellsNative = currencyIn === zeroAddress;
  const buysNative = currencyOut === zeroAddress;
  const swap = {
    poolKey: key,
    zeroForOne: isSameAddress(currencyIn, key.currency0),
    amountIn: openDelta,
    minOut: fill.minOut,
    hookData: '0x',
  } as const;
  const amountIn = payerIsUser || !isLastSale ? leg.amountIn : wholeBalance;
  const payFromUser = payerIsUser && !sellsNative;
  const params = [
    encodeAbiParameters(parseAbiParameters('address, uint256, bool'), [currencyIn, amountIn, payFromUser]),
    encodeAbiParameters(singleSwap, [swap]),
    encodeAbiParameters(tokenRecipientAmount, [currencyOut, buysNative ? routerItself : recipient, openDelta]),
  ];
  const before: Command[] = [];
  if (sellsNative && payerIsUser) {
    const pull = encodeAbiParameters(tokenRecipientAmount, [wrappedNative, routerItself, leg.amountIn]);
    before.push({ code: commands.permit2TransferFrom, input: pull });
  }
  if (sellsNative) before.push(nativeCommand(commands.unwrapWeth, routerItself, 0n));
  const after: Command[] = [];
  if (buysNative) after.push(nativeCommand(commands.wrapEth, recipient, wholeBalance));
  else if (sellsNative && !payerIsUser && !isLastSale)
    after.push(nativeCommand(commands.wrapEth, routerItself, wholeBalance));
  const v4Swap = encodeAbiParameters(swapInput.v4, [settleSwapTake, params]);
  return [...before, { code: commands.v4Swap, input: v4Swap }, ...after];
}

function nativeCommand(code: number, recipient: Address, amount: bigint): Command {
  return { code, input: encodeAbiParameters(parseAbiParameters('address, uint256'), [recipient, amount]) };
}
