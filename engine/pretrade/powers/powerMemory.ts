import { toHex } from 'viem';
import { isUnread } from '../../chain/batch.ts';
import { keccak256 } from '../../keccak256.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { Memory } from '../../memory.ts';
import type { CodeFacts } from '../bytecode/codeMemory.ts';
import { isBurnAddress, ownerOf } from '../context/ownership.ts';
import type { FactStore, Power, PowerScan } from '../pretradePorts.ts';
import type { PowerQuery } from './beginScan.ts';
import { findCallers, formerOwnersOf, type PowerSubject } from './findCallers.ts';

/**
 * The powers of privileged accounts over holders, or why they are unknown.
 *
 * `otherScan`: the scan of another token with the same code, if this token's own is missing or incomplete.
 */
export type PowerFinding = ({ status: 'scanned'; scan: PowerScan } | { status: 'not-scanned'; reason: string }) & {
  otherScan?: PowerScan | undefined;
};

/** A power, and the block of the scan that found it. */
export interface FoundPower extends Power {
  blockNumber: number;
  /** Found in another token with the same code only, so this token's storage may rule it out. */
  isOfOtherToken: boolean;
}

/** The token's own powers, then those that only the scan of another token with the same code found. */
export function powersOf(finding: PowerFinding): FoundPower[] {
  const own = finding.status === 'scanned' ? finding.scan : undefined;
  const isOwn = (power: Power) => own?.powers.some(isSamePower(power)) === true;
  const mark = (scan: PowerScan | undefined, isOfOtherToken: boolean): FoundPower[] =>
    scan?.powers.map((power) => ({ ...power, blockNumber: scan.blockNumber, isOfOtherToken })) ?? [];
  return [...mark(own, false), ...mark(finding.otherScan, true).filter((power) => !isOwn(power))];
}

/** Effects that only another token with the same code showed. */
export function effectsOfOtherToken(powers: readonly FoundPower[]): ReadonlySet<Power['effect']> {
  const own = new Set(powers.filter(({ isOfOtherToken }) => !isOfOtherToken).map(({ effect }) => effect));
  return new Set(
    powers.filter(({ isOfOtherToken, effect }) => isOfOtherToken && !own.has(effect)).map(({ effect }) => effect),
  );
}

export const isSamePower = (power: Power) => (other: Power) =>
  power.selector === other.selector && power.effect === other.effect;

/** Why a power may have been missed; null if every function was tried and the control trade worked. */
export function scanGap(finding: PowerFinding): string | null {
  if (finding.status === 'not-scanned') return `owner functions were not tried: ${finding.reason}`;
  if (finding.scan.truncated) return 'not every owner function was tried';
  if (!finding.scan.controlTraded)
    return 'owner functions could not be evaluated, because the simulated control trade of a hundredth of the size failed';
  return null;
}

type PowerRecall = (
  | { status: 'cached'; scan: PowerScan }
  | { status: 'scan-needed'; key: string; codeKey: string; query: PowerQuery }
  | { status: 'unavailable'; reason: string }
) & { otherScan?: PowerScan | undefined };

/**
 * Keeps scans by token, code and kind of owner. Tokens with the same code differ in storage, where a power may have been
 * given up. So a scan of one token cannot rule out a power of another. If a token cannot be scanned, the powers found in
 * another token with the same code are reported as that token's.
 */
export interface PowerMemory {
  recall(subject: PowerSubject): Promise<PowerRecall>;
  /**
   * Runs the scan and keeps its result.
   * @param scan undefined if no trade could be simulated
   * @param tradable whether an ordinary wallet could trade in this check; undefined if not simulated
   */
  conclude(
    recall: PowerRecall,
    scan: (() => Promise<PowerScan>) | undefined,
    tradable: boolean | undefined,
  ): Promise<PowerFinding>;
}

/** Part of the key: stored scans of another version looked for other effects, or tried fewer calls. */
const scanVersion = 11;
/** Maximum number of scans in memory. */
const maxScans = 5_000;
/** How long an incomplete scan is kept, in milliseconds: the cause may be temporary. */
const incompleteKeptMs = 600_000;
/** Milliseconds until a scan is retried after the node did not respond. */
const retryAfterMs = 30_000;
const noResponse = 'the node did not respond';

export function createPowerMemory(
  facts: FactStore | undefined,
  { now, deadlineMs }: { now: () => number; deadlineMs: number },
): PowerMemory {
  const scans = new Memory<string, { scan: PowerScan; tradable: boolean | undefined }>({ maxEntries: maxScans });
  /** Scans that failed a short time ago. */
  const failures = new Memory<string, true>({ maxEntries: maxScans, keptMs: retryAfterMs, now });
  const find = (key: string, tradable: boolean | undefined) => {
    const kept = scans.get(key);
    if (!kept) return undefined;
    const { scan } = kept;
    const isRecent = now() - scan.scannedAt < incompleteKeptMs;
    // A scan whose control trade failed is reused only until trading becomes possible: then a new scan shows more.
    if (!scan.controlTraded) return isRecent && tradable !== undefined && tradable === kept.tradable ? scan : undefined;
    const isInconclusive = scan.truncated && scan.powers.length === 0;
    return isInconclusive && !isRecent ? undefined : scan;
  };
  return {
    async recall(subject) {
      const { token, code, exit, roles, creators: found = [], plan, tradable, base, wrapped, waits } = subject;
      if (deadlineMs === 0) return { status: 'unavailable', reason: 'turned off' };
      if (!code?.functions) return { status: 'unavailable', reason: 'the bytecode could not be analysed' };
      // A wrong creator from a vendor does no harm: it is only one more account to try.
      const creators = [...found, ...(await loadCreators(facts, token))];
      const { key, codeKey } = toKeys({ token, code, exit, roles, creators });
      const load = (from: string) => facts?.loadPowers(from).catch(() => undefined);
      const own = find(key, tradable) ?? (await load(key));
      const otherScan = own && gapOf(own) === null ? undefined : (find(codeKey, tradable) ?? (await load(codeKey)));
      if (own) return { status: 'cached', scan: own, otherScan };
      if (!plan) return { status: 'unavailable', reason: 'there is no pool for a trade of this size', otherScan };
      if (failures.get(key)) return { status: 'unavailable', reason: noResponse, otherScan };
      const endsAt = now() + deadlineMs;
      const { functions } = code;
      const totalSupply = exit.totalSupply ?? 0n;
      const isPastDeadline = () => now() > endsAt;
      return {
        status: 'scan-needed',
        key,
        codeKey,
        otherScan,
        query: {
          ...{ token, functions, plan, totalSupply, base, wrapped, waits, isPastDeadline, now: now() },
          ...findCallers({ ...subject, code }, creators),
        },
      };
    },
    async conclude(recall, scan, tradable) {
      const { otherScan } = recall;
      if (recall.status === 'cached') return { status: 'scanned', scan: recall.scan, otherScan };
      if (recall.status === 'unavailable') return { status: 'not-scanned', reason: recall.reason, otherScan };
      if (!scan) return { status: 'not-scanned', reason: 'no trade could be simulated', otherScan };
      let found: PowerScan;
      try {
        found = await scan();
      } catch (error) {
        // The verdict does not depend on the scan, so a failed scan must not fail the check.
        if (!isUnread(error)) throw error;
        failures.set(recall.key, true);
        return { status: 'not-scanned', reason: noResponse, otherScan };
      }
      // A scan that tried no call is not kept, because the token may get an owner later. It rules out no power either.
      if (found.callsTried === 0) return { status: 'scanned', scan: found, otherScan };
      const isComplete = gapOf(found) === null;
      const keys = isComplete && found.powers.length > 0 ? [recall.key, recall.codeKey] : [recall.key];
      for (const key of keys) {
        scans.set(key, { scan: found, tradable });
        if (isComplete) await facts?.savePowers(key, found).catch(() => undefined);
      }
      return { status: 'scanned', scan: found, otherScan: isComplete ? undefined : otherScan };
    },
  };
}

const gapOf = (scan: PowerScan) => scanGap({ status: 'scanned', scan });

/** The stored creator and the sender of the first transfer. */
async function loadCreators(facts: FactStore | undefined, token: LowerAddress): Promise<LowerAddress[]> {
  const [creator, firstTransfer] = await Promise.all([
    facts?.loadCreator(token).catch(() => undefined),
    facts?.loadFirstTransfer(token).catch(() => undefined),
  ]);
  return [creator?.address, firstTransfer?.sender].filter((address) => !!address);
}

/** The keys of a token's own scan, and of scans that tokens with its code share. */
function toKeys({
  token,
  code,
  exit,
  roles,
  creators,
}: Pick<PowerSubject, 'token' | 'exit' | 'roles'> & { code: CodeFacts; creators: readonly LowerAddress[] }) {
  const owner = ownerOf(exit);
  const ownerState = owner === undefined ? 'none' : isBurnAddress(owner) ? 'renounced' : 'owned';
  const holders = roles.status === 'read' ? roles.addresses : [];
  // Scans of tokens with role holders are not shared with tokens that have none.
  const roleState = holders.length > 0 ? '|roles' : '';
  // A scan that did not try the creator cannot rule out the creator's powers.
  const others = formerOwnersOf(roles, owner).length > 0 || creators.some((address) => address !== owner);
  const codeKey = keccak256(
    toHex(`${scanVersion}|${code.analysedHash}|${ownerState}${roleState}${others ? '|creator' : ''}`),
  );
  // A new role holder has not been tried, so the token needs another scan.
  const key = keccak256(toHex(`${codeKey}|${token}|${[...holders].sort().join()}`));
  return { key, codeKey };
}
