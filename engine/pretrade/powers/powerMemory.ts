import { keccak256, toHex } from 'viem';
import { RpcTransportError } from '../../errors.ts';
import type { LowerAddress } from '../../lowerAddress.ts';
import { LruMap } from '../../lruMap.ts';
import type { CodeFacts } from '../bytecode/codeFacts.ts';
import { isBurnAddress, ownerOf } from '../context/ownership.ts';
import type { FactStore, PowerScan } from '../pretradePorts.ts';
import type { PowerQuestion } from './beginScan.ts';
import { findCallers, formerOwnersOf } from './findCallers.ts';
import type { PowerSubject } from './powerSubject.ts';

/** What is known of what privileged wallets can do to holders. */
export type PowerFinding = { status: 'scanned'; scan: PowerScan } | { status: 'not-scanned'; reason: string };

/** Why a power may have been missed; null if every function was tried and the control trade worked. */
export function scanGap(finding: PowerFinding): string | null {
  if (finding.status === 'not-scanned') return `owner functions were not tried: ${finding.reason}`;
  if (finding.scan.truncated) return 'not every owner function was tried';
  if (!finding.scan.controlTraded)
    return 'owner functions could not be judged, because an ordinary wallet could not buy and sell a hundredth of the size in simulation';
  return null;
}

type PowerRecall =
  | { status: 'known'; scan: PowerScan }
  /** `shared`: what another token with this code showed. */
  | { status: 'wanted'; key: string; codeKey: string; shared: PowerScan | undefined; question: PowerQuestion }
  | { status: 'impossible'; reason: string };

/**
 * Scans by token, code and kind of owner. Tokens of one code may differ in storage, where a power can be given up or
 * not, so a scan of one does not rule out a power of another. What a scan found stands in for a token of the same code
 * that cannot be judged itself.
 */
export interface PowerMemory {
  recall(subject: PowerSubject): Promise<PowerRecall>;
  /** Waits for a running scan and keeps its result. `tradable` as for recall. */
  conclude(
    recall: PowerRecall,
    scan: (() => Promise<PowerScan>) | undefined,
    tradable: boolean | undefined,
  ): Promise<PowerFinding>;
}

/** Part of the key: stored scans of another version looked for other effects. */
const scanVersion = 8;
/** Scans kept beside the store. */
const mostScans = 5_000;
/** How long an incomplete scan is kept, in milliseconds: the cause may be temporary. */
const incompleteKeptMs = 600_000;
/** Milliseconds until a scan that the node did not answer is retried. */
const retryAfterMs = 30_000;
const noAnswer = 'the node did not answer';

export function createPowerMemory(
  facts: FactStore | undefined,
  { now, deadlineMs }: { now: () => number; deadlineMs: number },
): PowerMemory {
  const scans = new LruMap<string, { scan: PowerScan; tradable: boolean | undefined }>(mostScans);
  /** When each scan last failed, in milliseconds since the epoch. */
  const failures = new LruMap<string, number>(mostScans);
  const find = (key: string, tradable: boolean | undefined) => {
    const kept = scans.get(key);
    if (!kept) return undefined;
    const { scan } = kept;
    const isRecent = now() - scan.scannedAt < incompleteKeptMs;
    // Without a control trade, a scan is valid only while tradability is unchanged: after a launch a scan shows more.
    if (!scan.controlTraded) return isRecent && tradable !== undefined && tradable === kept.tradable ? scan : undefined;
    const isInconclusive = scan.truncated && scan.powers.length === 0;
    return isInconclusive && !isRecent ? undefined : scan;
  };
  const loadCreators = async (token: LowerAddress): Promise<LowerAddress[]> => {
    const [creator, firstTransfer] = await Promise.all([
      facts?.loadCreator(token).catch(() => undefined),
      facts?.loadFirstTransfer(token).catch(() => undefined),
    ]);
    return [creator?.address, firstTransfer?.sender].filter((address) => !!address);
  };
  const keep = (key: string, scan: PowerScan, tradable: boolean | undefined) => scans.set(key, { scan, tradable });
  return {
    async recall(subject) {
      const { token, code, exit, roles, creators: found = [], plan, tradable, base, wrapped } = subject;
      if (deadlineMs === 0) return { status: 'impossible', reason: 'turned off' };
      if (!code?.functions) return { status: 'impossible', reason: 'the bytecode could not be analysed' };
      // A vendor's word on the creator only names one more account to try.
      const creators = [...found, ...(await loadCreators(token))];
      const { key, codeKey } = toKeys({ token, code, exit, roles, creators });
      const load = (from: string) => facts?.loadPowers(from).catch(() => undefined);
      const own = find(key, tradable) ?? (await load(key));
      const shared =
        own && gapOf(own) === null ? undefined : toStandIn(find(codeKey, tradable) ?? (await load(codeKey)));
      if (own) return { status: 'known', scan: shared ?? own };
      if (!plan && shared) return { status: 'known', scan: shared };
      if (!plan) return { status: 'impossible', reason: 'there is no pool for a trade of this size' };
      if (now() - (failures.get(key) ?? Number.NEGATIVE_INFINITY) < retryAfterMs) {
        return { status: 'impossible', reason: noAnswer };
      }
      const endsAt = now() + deadlineMs;
      const { functions } = code;
      const totalSupply = exit.totalSupply ?? 0n;
      const until = () => now() > endsAt;
      return {
        status: 'wanted',
        key,
        codeKey,
        shared,
        question: {
          ...{ token, functions, plan, totalSupply, base, wrapped, until, now: now() },
          ...findCallers({ ...subject, code }, creators),
        },
      };
    },
    async conclude(recall, scan, tradable) {
      if (recall.status === 'known') return { status: 'scanned', scan: recall.scan };
      if (recall.status === 'impossible') return { status: 'not-scanned', reason: recall.reason };
      if (!scan) return { status: 'not-scanned', reason: 'no trade could be simulated' };
      let found: PowerScan;
      try {
        found = await scan();
      } catch (error) {
        // The verdict does not depend on the scan, so a failed scan must not fail the check.
        if (!(error instanceof RpcTransportError)) throw error;
        failures.set(recall.key, now());
        return { status: 'not-scanned', reason: noAnswer };
      }
      // Without any owner call there may be an owner to try later.
      if (found.callsTried === 0) return { status: 'scanned', scan: found };
      const isComplete = gapOf(found) === null;
      const keys = isComplete && found.powers.length > 0 ? [recall.key, recall.codeKey] : [recall.key];
      for (const key of keys) {
        keep(key, found, tradable);
        if (isComplete) await facts?.savePowers(key, found).catch(() => undefined);
      }
      return { status: 'scanned', scan: isComplete ? found : (recall.shared ?? found) };
    },
  };
}

const gapOf = (scan: PowerScan) => scanGap({ status: 'scanned', scan });

/** A scan of another token with the same code. It counts as incomplete: this token may have powers that the other lacks. */
const toStandIn = (scan: PowerScan | undefined): PowerScan | undefined =>
  scan && scan.powers.length > 0 ? { ...scan, truncated: true } : undefined;

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
  // A token without role holders cannot use a scan of one that has some, although the code is the same.
  const roleState = holders.length > 0 ? '|roles' : '';
  // A scan that did not try the creator cannot rule out the creator's powers.
  const others = formerOwnersOf(roles, owner).length > 0 || creators.some((address) => address !== owner);
  const codeKey = keccak256(
    toHex(`${scanVersion}|${code.analysedHash}|${ownerState}${roleState}${others ? '|creator' : ''}`),
  );
  // A new role holder was not tried and may have a power, so its token needs another scan.
  const key = keccak256(toHex(`${codeKey}|${token}|${[...holders].sort().join()}`));
  return { key, codeKey };
}
