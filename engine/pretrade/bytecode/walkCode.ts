import type { Hex } from 'viem';
import { op, stackEffects } from './evmOpcodes.ts';

/**
 * A word on the stack: a constant, or its origin.
 * `firstWord`: the first 32 bytes of calldata. `selector`: an unknown selector; `paddedSelector`: in the highest 4 bytes.
 * `nonZero`: any value except zero. `party`: from calldata after the first word, or the caller.
 * `slot:<number>:<bits>`: the content of a storage slot, shifted right.
 */
type Word = bigint | 'firstWord' | 'selector' | 'paddedSelector' | 'nonZero' | 'party' | 'unknown' | `slot:${string}`;

interface Path {
  at: number;
  stack: Word[];
}

/** Effects of code on the paths that a call can take. */
export interface Walk {
  /** The code uses calldata after the selector. */
  readsArguments: boolean;
  /** The code writes storage, creates or destroys a contract. */
  writes: boolean;
  /** Targets of DELEGATECALL and CALLCODE. */
  delegates: Word[];
  /** Targets of CALL and STATICCALL, without transfers of the native coin and precompiled contracts. */
  calls: Word[];
  /** The code uses NUMBER. */
  readsBlockNumber: boolean;
  /** Every path was followed to its end. */
  isComplete: boolean;
}

/** Limits the work of walks. They may share one budget. */
interface WalkBudget {
  /**
   * Remaining work: one for each opcode, one for each word on the stack at the start of a block, and one for 16 words of a
   * stack that a branch copies.
   */
  left: number;
}

const wordMask = (1n << 256n) - 1n;
const addressMask = (1n << 160n) - 1n;
const selectorShift = 224n;
const selectorMask = 0xffffffffn << selectorShift;
const precompiledBelow = 0x400n;
/** A call with more words on its stack fails. */
const maxStack = 1024;
/** Compilers shift by powers of 2, 10 and 256. Larger powers would take milliseconds each. */
const maxPowerOf = 256n;

interface WalkQuery {
  /** The function whose paths are followed. Undefined: a call whose selector differs from all `known` ones. */
  selector?: Hex;
  known: ReadonlySet<bigint>;
  /** Reduced by the work of the walk. If it does not suffice, the walk is incomplete. */
  budget: WalkBudget;
}

/**
 * Follows the paths of runtime code without executing it. Conditions on unknown words are followed both ways. Without a
 * `selector`, the paths are those of the fallback, and of functions that are not known.
 */
export const walkCode = (code: Hex, query: WalkQuery): Walk => new Walker(code, query).run();

class Walker {
  private readonly paths: Path[] = [{ at: 0, stack: [] }];
  private readonly visited = new Set<string>();
  private readonly walk: Walk = {
    ...{ readsArguments: false, writes: false, readsBlockNumber: false, isComplete: true },
    ...{ delegates: [], calls: [] },
  };
  private readonly bytes: Buffer;
  /** 1 at each JUMPDEST. */
  private readonly destinations: Uint8Array;
  private readonly selector: bigint | undefined;
  private readonly known: ReadonlySet<bigint>;
  private readonly budget: WalkBudget;

  constructor(code: Hex, { selector, known, budget }: WalkQuery) {
    this.selector = selector === undefined ? undefined : BigInt(selector);
    this.known = known;
    this.budget = budget;
    this.bytes = Buffer.from(code.slice(2), 'hex');
    this.destinations = new Uint8Array(this.bytes.length);
    for (let at = 0; at < this.bytes.length; at += 1 + pushedBytes(this.bytes[at] ?? 0)) {
      if (this.bytes[at] === op.jumpdest) this.destinations[at] = 1;
    }
  }

  run(): Walk {
    for (let path = this.paths.pop(); path; path = this.paths.pop()) {
      let next: Path | undefined = path;
      while (next) {
        this.budget.left -= 1;
        if (this.budget.left < 0) {
          this.walk.isComplete = false;
          return this.walk;
        }
        next = this.step(next);
      }
    }
    return this.walk;
  }

  /** Executes one opcode. Undefined at the end of a path. */
  private step(path: Path): Path | undefined {
    const { stack } = path;
    const code = this.bytes[path.at];
    if (code === undefined || stack.length > maxStack) return undefined;
    if (code >= op.push0 && code <= op.push32) {
      const size = pushedBytes(code);
      const digits = this.bytes.toString('hex', path.at + 1, path.at + 1 + size).padEnd(2 * size, '0');
      stack.push(BigInt(`0x${digits || '0'}`));
      path.at += 1 + size;
      return path;
    }
    path.at += 1;
    if (code >= op.dup1 && code <= op.dup16) {
      const word = stack.at(op.dup1 - code - 1);
      if (word === undefined) return undefined;
      stack.push(word);
      return path;
    }
    if (code >= op.swap1 && code <= op.swap16) {
      const [top, other] = [stack.length - 1, stack.length - 2 - (code - op.swap1)];
      const [a, b] = [stack[top], stack[other]];
      if (a === undefined || b === undefined) return undefined;
      [stack[top], stack[other]] = [b, a];
      return path;
    }
    const effect = stackEffects[code];
    if (!effect || stack.length < effect[0]) return undefined;
    const taken = stack.splice(stack.length - effect[0]).reverse();
    if (code === op.jump) return this.jump(path, taken[0]);
    if (code === op.jumpi) return this.branch(path, taken);
    if (code === op.jumpdest) return this.enter(path);
    if (isEnd(code)) {
      if (code === op.selfDestruct) this.walk.writes = true;
      return undefined;
    }
    this.note(code, taken);
    if (effect[1] === 1) stack.push(this.resultOf(code, taken));
    return path;
  }

  private jump(path: Path, destination: Word | undefined): Path | undefined {
    if (typeof destination !== 'bigint') {
      // A computed jump: the code behind it cannot be found.
      this.walk.isComplete = false;
      return undefined;
    }
    const at = Number(destination);
    return this.destinations[at] === 1 ? { at, stack: path.stack } : undefined;
  }

  private branch(path: Path, [destination, condition]: Word[]): Path | undefined {
    if (condition === 0n) return path;
    if (typeof condition === 'bigint' || condition === 'nonZero') return this.jump(path, destination);
    this.budget.left -= Math.ceil(path.stack.length / 16);
    const other = this.jump({ at: path.at, stack: [...path.stack] }, destination);
    if (other) this.paths.push(other);
    return path;
  }

  /** Ends a path that reaches a block with the same stack as an earlier path. */
  private enter(path: Path): Path | undefined {
    const key = `${path.at} ${path.stack.join()}`;
    if (this.visited.has(key)) return undefined;
    this.visited.add(key);
    this.budget.left -= path.stack.length;
    return path;
  }

  /** Records the effects of an opcode in `walk`. */
  private note(code: number, taken: readonly Word[]): void {
    const { walk } = this;
    const [first, second] = taken;
    if (code === op.callDataCopy || (code === op.callDataLoad && first !== 0n)) walk.readsArguments = true;
    if (code !== op.pop && taken.includes('firstWord') && !isSelectorPart(code, taken)) walk.readsArguments = true;
    if (code === op.number) walk.readsBlockNumber = true;
    if (code === op.sstore || code === op.tstore || code === op.create || code === op.create2) walk.writes = true;
    if (code === op.delegateCall || code === op.callCode) walk.delegates.push(second ?? 'unknown');
    // A payment of the native coin. A call without data and without value lets the called contract decide.
    if (code === op.call && taken[4] === 0n && taken[2] !== 0n) return;
    if (code === op.call || code === op.staticCall) {
      const isPrecompiled = typeof second === 'bigint' && second < precompiledBelow;
      if (!isPrecompiled) walk.calls.push(second ?? 'unknown');
    }
  }

  private resultOf(code: number, taken: readonly Word[]): Word {
    const [a = 'unknown', b = 'unknown'] = taken;
    if (code === op.callDataLoad) return a === 0n ? 'firstWord' : 'party';
    if (code === op.caller || code === op.origin) return 'party';
    if (code === op.iszero && a === 'nonZero') return 0n;
    if (code === op.sload) return typeof a === 'bigint' ? `slot:${a}:0` : 'unknown';
    if (taken.includes('firstWord') && isSelectorPart(code, taken)) {
      const isShifted = code !== op.and;
      if (this.selector !== undefined) return isShifted ? this.selector : this.selector << selectorShift;
      return isShifted ? 'selector' : 'paddedSelector';
    }
    const compared = this.compareSelector(code, a, b);
    if (compared !== undefined) return compared;
    if (typeof a === 'bigint' && (taken.length === 1 || typeof b === 'bigint'))
      return compute(code, a, typeof b === 'bigint' ? b : 0n);
    return keepOrigin(code, a, b);
  }

  /** Result of an operation on the unknown selector, which differs from all known ones. Undefined for other operations. */
  private compareSelector(code: number, a: Word, b: Word): Word | undefined {
    const [word, constant] = typeof a === 'bigint' ? [b, a] : [a, b];
    if ((word !== 'selector' && word !== 'paddedSelector') || typeof constant !== 'bigint') return undefined;
    if (code === op.and && (constant & 0xffffffffn) === 0xffffffffn && word === 'selector') return word;
    if (code === op.and && (constant & selectorMask) === selectorMask && word === 'paddedSelector') return word;
    if (code === op.shr && word === 'paddedSelector' && a === selectorShift) return 'selector';
    if (code === op.shl && word === 'selector' && a === selectorShift) return 'paddedSelector';
    const selector = word === 'selector' ? constant : constant >> selectorShift;
    if (!this.known.has(selector)) return 'unknown';
    if (code === op.eq) return 0n;
    return code === op.xor || code === op.sub ? 'nonZero' : 'unknown';
  }
}

const pushedBytes = (code: number) => (code > op.push0 && code <= op.push32 ? code - op.push0 : 0);

const isEnd = (code: number) =>
  [op.stop, op.return, op.revert, op.invalid, op.selfDestruct].some((end) => end === code);

/** Whether an operation reads only the selector of the first word of calldata. */
const isSelectorPart = (code: number, [a, b]: readonly Word[]) =>
  (code === op.shr && a === selectorShift) ||
  (code === op.div && b === 1n << selectorShift) ||
  (code === op.and && (a === selectorMask || b === selectorMask));

/** Sums and products are `unknown`: with a known loop counter, each round would be a separate path. */
function compute(code: number, a: bigint, b: bigint): Word {
  if (code === op.sub) return (a - b) & wordMask;
  if (code === op.and) return a & b;
  if (code === op.or) return a | b;
  if (code === op.xor) return a ^ b;
  if (code === op.not) return a ^ wordMask;
  if (code === op.shl) return a > 255n ? 0n : (b << a) & wordMask;
  if (code === op.shr) return a > 255n ? 0n : b >> a;
  if (code === op.div) return b === 0n ? 0n : a / b;
  if (code === op.exp) return a > maxPowerOf || b > 256n ? 'unknown' : (a ** b) & wordMask;
  if (code === op.iszero) return a === 0n ? 1n : 0n;
  if (code === op.eq) return a === b ? 1n : 0n;
  if (code === op.lt) return a < b ? 1n : 0n;
  if (code === op.gt) return a > b ? 1n : 0n;
  return 'unknown';
}

/** Keeps the origin of an address from a slot or calldata when the code masks or shifts it. */
function keepOrigin(code: number, a: Word, b: Word): Word {
  const [word, constant] = typeof a === 'bigint' ? [b, a] : [a, b];
  if (typeof constant !== 'bigint') return 'unknown';
  if (code === op.and && (constant & addressMask) === addressMask && (word === 'party' || isSlot(word))) return word;
  if (!isSlot(word)) return 'unknown';
  if (code === op.shr && constant === a) return shiftSlot(word, constant);
  const bits = BigInt(constant.toString(2).length - 1);
  return code === op.div && constant === b && constant === 1n << bits ? shiftSlot(word, bits) : 'unknown';
}

const isSlot = (word: Word): word is `slot:${string}` => typeof word === 'string' && word.startsWith('slot:');

function shiftSlot(word: `slot:${string}`, bits: bigint): Word {
  const [, slot, before = '0'] = word.split(':');
  return `slot:${slot}:${BigInt(before) + bits}`;
}
