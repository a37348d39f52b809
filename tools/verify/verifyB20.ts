import { type Address, getAddress, type Hex, keccak256, stringToHex } from 'viem';
import { b20Singletons } from '../../engine/tools/index.ts';
import type { ChainReader } from './chainReader.ts';
import { type CreateFinding, type Finding, findingFor } from './verifyTypes.ts';

/** Features of the Activation Registry that B20 needs. */
const features = ['base.b20_asset', 'base.b20_stablecoin', 'base.policy_registry'];
/** An address with the shape of a B20 token that no salt gives. */
const shaped: Address = `0xb2${'0'.repeat(38)}`;
const alwaysBlock = (1n << 56n) | 1n;

/**
 * Checks that the node executes B20: the factory knows the address shape, the Policy Registry its built-in policies, and
 * the Activation Registry the features.
 */
export async function verifyB20(reader: ChainReader): Promise<Finding[]> {
  const { factory, policyRegistry, activationRegistry } = b20Singletons;
  const subject = (name: string, address: Address) => findingFor(`B20 ${name} ${getAddress(address)}`);
  const [ofFactory, ofPolicies, ofFeatures] = [
    subject('factory', factory),
    subject('policy registry', policyRegistry),
    subject('activation registry', activationRegistry),
  ];
  return Promise.all([
    expectBool(reader, ofFactory, { to: factory, signature: 'isB20(address)', args: [shaped] }, true),
    expectBool(reader, ofFactory, { to: factory, signature: 'isB20(address)', args: [factory] }, false),
    expectBool(reader, ofFactory, { to: factory, signature: 'isB20Initialized(address)', args: [shaped] }, false),
    expectBool(reader, ofPolicies, { to: policyRegistry, ...isAuthorized(0n) }, true),
    expectBool(reader, ofPolicies, { to: policyRegistry, ...isAuthorized(alwaysBlock) }, false),
    ...features.map((feature) => {
      const args = [keccak256(stringToHex(feature)) as Hex];
      const call = { to: activationRegistry, signature: 'isActivated(bytes32)', args };
      return expectBool(reader, ofFeatures, call, true, feature);
    }),
  ]);
}

const isAuthorized = (id: bigint) => ({ signature: 'isAuthorized(uint64,address)', args: [id, shaped] });

/** Compares a function that returns a boolean. */
async function expectBool(
  reader: ChainReader,
  finding: CreateFinding,
  { to, signature, args }: { to: Address; signature: string; args: readonly unknown[] },
  expected: boolean,
  note = `${args[0]}`,
): Promise<Finding> {
  const [code, answer] = await Promise.all([
    reader.hasCode(to),
    reader.call<boolean>(to, `${signature} view returns (bool)`, args),
  ]);
  const check = signature.slice(0, signature.indexOf('('));
  if (answer.status === 'unread') return finding(check, 'unread', answer.why);
  if (code.status === 'answered' && !code.value) return finding(check, 'missing', 'no code');
  if (answer.status === 'refused') return finding(check, 'missing', answer.why);
  return finding(check, answer.value === expected ? 'ok' : 'differs', `${note}: ${answer.value}`);
}
