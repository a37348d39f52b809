import { type AbiFunction, concatHex, encodeFunctionData, type Hex, keccak256, toFunctionSelector, toHex } from 'viem';
import { anySlotProxyArtifact } from '../../contracts/artifacts/testTokens/AnySlotProxy.ts';
import { diamondTokenArtifact } from '../../contracts/artifacts/testTokens/DiamondToken.ts';
import { implementationTokenArtifact } from '../../contracts/artifacts/testTokens/ImplementationToken.ts';
import { regulatedImplementationArtifact } from '../../contracts/artifacts/testTokens/RegulatedImplementation.ts';
import { ownPair } from './describeToken.ts';
import type { GroundTruth, TokenDefinition, TokenDeployer } from './testTokenTypes.ts';
import { tradable } from './truths.ts';

const slotOf = (text: string) => keccak256(toHex(text));

const initialize = ({ params, owner }: TokenDeployer): Hex =>
  encodeFunctionData({
    abi: implementationTokenArtifact.abi,
    functionName: 'initialize',
    args: [params(false), owner],
  });

const regulated: GroundTruth = tradable({
  hasBlacklist: true,
  mintable: true,
  ownerRenounced: false,
  powers: [
    { effect: 'block-holder', by: 'owner', functionName: 'blacklist', args: ['holder'] },
    { effect: 'block-all-sales', by: 'owner', functionName: 'pause', args: [] },
    { effect: 'mint', by: 'owner', functionName: 'mint', args: ['thief', 'amount'] },
  ],
});

function behindSlot(symbol: string, about: string, slot: Hex, differs: Partial<GroundTruth> = {}): TokenDefinition {
  return {
    symbol,
    about,
    pools: [ownPair],
    truth: { ...regulated, ...differs },
    abi: regulatedImplementationArtifact.abi,
    deploy: (deployer) =>
      deployer.create(anySlotProxyArtifact, [
        slot,
        deployer.create(regulatedImplementationArtifact),
        initialize(deployer),
      ]),
  };
}

/** Creation code of the minimal clone with PUSH0 (EIP-7511). */
const shortCloneOf = (target: Hex): Hex =>
  concatHex(['0x602c8060095f395ff3365f5f375f5f365f73', target, '0x5af43d5f5f3e5f3d91602a57fd5bf3']);

/** A diamond whose only facet has all functions of a token. */
function deployOneFacet(deployer: TokenDeployer): Hex {
  const facetAddress = deployer.create(regulatedImplementationArtifact);
  const functions = regulatedImplementationArtifact.abi.filter(({ type }) => type === 'function') as AbiFunction[];
  const facet = { facetAddress, functionSelectors: functions.map(toFunctionSelector) };
  return deployer.create(diamondTokenArtifact, [[facet], facetAddress, initialize(deployer)]);
}

/** Variants of proxies. */
export const variantProxies: readonly TokenDefinition[] = [
  behindSlot('PEIP1822', 'A regulated token behind an EIP-1822 proxy.', slotOf('PROXIABLE')),
  behindSlot(
    'PZEPPELIN',
    'A regulated token behind a ZeppelinOS proxy.',
    slotOf('org.zeppelinos.proxy.implementation'),
  ),
  behindSlot(
    'PANYSLOT',
    'A regulated token behind a non-standard proxy, whose implementation cannot be found.',
    slotOf('somewhere'),
    {
      powersHidden: true,
    },
  ),
  {
    symbol: 'PONEFACET',
    about: 'A regulated token as a diamond with one facet.',
    pools: [ownPair],
    truth: regulated,
    abi: regulatedImplementationArtifact.abi,
    deploy: deployOneFacet,
  },
  {
    symbol: 'PSHORT',
    about: 'A regulated token as a minimal clone with PUSH0 (EIP-7511).',
    pools: [ownPair],
    truth: regulated,
    abi: regulatedImplementationArtifact.abi,
    deploy: (deployer) => {
      const clone = deployer.createRaw(shortCloneOf(deployer.create(regulatedImplementationArtifact)));
      deployer.call(clone, initialize(deployer));
      return clone;
    },
  },
];
