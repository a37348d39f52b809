import { encodeAbiParameters, encodeErrorResult, type Hex, parseAbi } from 'viem';
import { expect, test } from 'vitest';
import { JsonRpcError } from '../../chainCall.ts';
import { refusalOfNodeError, refusalOfRevertData } from './revertReason.ts';

const errorAbi = parseAbi(['error Error(string message)', 'error Panic(uint256 code)']);
const revertOf = (message: string) => encodeErrorResult({ abi: errorAbi, errorName: 'Error', args: [message] });

/** Revert texts of FiatTokenV2_2 and OpenZeppelin's ERC20, and x402's code of each. */
const reverts = [
  ['FiatTokenV2: authorization is used or canceled', 'invalid_exact_evm_nonce_already_used'],
  ['FiatTokenV2: authorization is expired', 'invalid_exact_evm_payload_authorization_valid_before'],
  ['FiatTokenV2: authorization is not yet valid', 'invalid_exact_evm_payload_authorization_valid_after'],
  ['FiatTokenV2: invalid signature', 'invalid_exact_evm_signature'],
  ['ERC20: transfer amount exceeds balance', 'invalid_exact_evm_insufficient_balance'],
  ['Blacklistable: account is blacklisted', 'invalid_exact_evm_transaction_simulation_failed'],
  ['Pausable: paused', 'invalid_exact_evm_transaction_simulation_failed'],
  ['', 'invalid_exact_evm_transaction_simulation_failed'],
] as const;

test.each(reverts)('a revert with "%s" is refused with %s', (text, reason) => {
  expect(refusalOfRevertData(revertOf(text))).toMatchObject({ reason });
  expect(refusalOfNodeError(new JsonRpcError(3, 'execution reverted', revertOf(text)))).toMatchObject({ reason });
  expect(refusalOfNodeError(new JsonRpcError(3, `execution reverted: ${text}`, undefined))).toMatchObject({ reason });
});

const other = 'invalid_exact_evm_transaction_simulation_failed';
const encoded = encodeAbiParameters([{ type: 'string' }], ['FiatTokenV2: invalid signature']).slice(2);
test.each<[string, Hex]>([
  ['no data', '0x'],
  ['a panic', encodeErrorResult({ abi: errorAbi, errorName: 'Panic', args: [17n] })],
  ['a message that cannot be decoded', '0x08c379a0ff'],
  ['a message of another selector', `0x18c379a0${encoded}`],
  ['a word before the selector', `0x0008c379a0${encoded}`],
])('a revert with %s is a revert of another kind', (_name, data) => {
  expect(refusalOfRevertData(data)).toMatchObject({ reason: other });
});

test("the revert data count more than the node's message", () => {
  const error = new JsonRpcError(3, 'execution reverted: authorization is expired', revertOf('invalid signature'));
  expect(refusalOfNodeError(error)).toMatchObject({ reason: 'invalid_exact_evm_signature' });
});

test.each([{ toString: () => '0x08c379a0' }, 7, 'Reverted 0x'])(
  'reads the message if the data are no hex: %s',
  (data) => {
    const error = new JsonRpcError(3, 'execution reverted: authorization is expired', data);
    expect(refusalOfNodeError(error)).toMatchObject({ reason: 'invalid_exact_evm_payload_authorization_valid_before' });
  },
);

test('an error that is no revert refuses nothing, whatever its data', () => {
  const error = new JsonRpcError(-32000, 'authorization is expired', revertOf('authorization is expired'));
  expect(refusalOfNodeError(error)).toBeUndefined();
});
