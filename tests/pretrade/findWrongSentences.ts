import { type Hex, hexToBigInt, toFunctionSelector } from 'viem';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import type { CheckedToken } from './describeAnswers.ts';
import { templates } from './sentenceTemplates.ts';
import type { Condition } from './templateTypes.ts';

interface Sentence {
  sentence: string;
  template: string | undefined;
  condition: Condition | undefined;
  groups: string[];
}

/** Splits a text into sentences of one template each. Text that matches no template is the last sentence. */
function splitSentences(text: string): Sentence[] {
  const found = templates
    .map(([template, condition]) => ({ template, match: new RegExp(`^${template}(?= |$)`).exec(text), condition }))
    .filter(({ match }) => match)
    .sort((a, b) => (b.match?.[0].length ?? 0) - (a.match?.[0].length ?? 0))[0];
  if (!found?.match)
    return text === '' ? [] : [{ sentence: text, template: undefined, condition: undefined, groups: [] }];
  const [sentence, ...groups] = found.match;
  const { template, condition } = found;
  return [{ sentence, template, condition, groups }, ...splitSentences(text.slice(sentence.length).trimStart())];
}

/** Whether code contains the opcode NUMBER outside pushed data. */
function hasNumber(code: Hex): boolean {
  const bytes = Buffer.from(code.slice(2), 'hex');
  for (let at = 0; at < bytes.length; at += 1) {
    const opcode = bytes[at] ?? 0;
    if (opcode === 0x43) return true;
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f;
  }
  return false;
}

const sentencesOf = ({ reasons, risk_profile, flags }: CheckedToken['answer']): Sentence[] =>
  [...reasons, risk_profile.transferability.note, ...Object.values(flags).map(({ reason }) => reason)].flatMap(
    splitSentences,
  );

/** Templates that no sentence of these answers matches. A template without a sentence would test nothing. */
export function findUnusedTemplates(answers: Iterable<CheckedToken['answer']>): string[] {
  const used = new Set([...answers].flatMap(sentencesOf).map(({ template }) => template));
  return templates.map(([template]) => template).filter((template) => !used.has(template));
}

/** Sentences of an answer that match no template, or whose condition the token does not meet. */
export async function findWrongSentences(
  rpcUrl: string,
  { truth, answer, testToken }: CheckedToken,
): Promise<string[]> {
  const node = createNodeClient(rpcUrl);
  const readsTrue = async (getter = '') => {
    const call = { to: testToken.address, data: toFunctionSelector(`${getter}()`) };
    return hexToBigInt(await node.call<Hex>('eth_call', [call, 'latest'])) === 1n;
  };
  const readsNumber = async () => hasNumber(await node.call<Hex>('eth_getCode', [testToken.address, 'latest']));
  const wrong = new Set<string>();
  for (const { sentence, condition, groups } of sentencesOf(answer)) {
    if (!condition) wrong.add(`no template: ${sentence}`);
    else if (!(await condition({ truth, answer, testToken, readsTrue, readsNumber }, ...groups)))
      wrong.add(`untrue: ${sentence}`);
  }
  return [...wrong];
}

const startingWith = (starts: readonly string[]) =>
  starts.map((start) => templates.find(([template]) => template.startsWith(start))?.[0] ?? start);

/** Templates that only the variants reach (`variants.test.ts`). */
export const templatesOfVariants = startingWith([
  'transferFrom\\(\\) returns a number',
  'A sale with a larger tip than the usual 0\\.001 gwei works',
  'A sale of a part of the size, with a larger tip',
  'A trade of a contract wallet is taxed',
  'At a gas price of 200 gwei, a trade that works at the usual gas price is taxed',
  'A sale of the requested size is taxed',
  'The largest tax of simulated sales\\. It depends on the amount',
  'The largest tax of simulated sales\\. It depends on the tip',
  'Calls with an unknown selector',
  'The bytecode could not be analysed',
]);

/** Templates that no test token reaches. The price of a feed is tested in `oracle.test.ts`. */
export const unreachedTemplates = startingWith([
  'A sale with a larger tip than the usual 0\\.001 gwei is refused',
  'A small transfer is refused',
  'No pool in which a trade of this size',
  'The pool’s LP fee is',
  'The purchase tax of the size changes over time',
  'The largest tax of simulated (?:sales|purchases)',
  'In a block a day later',
  '0x[0-9a-fA-F]{40}, outside',
  '0x[0-9a-fA-F]{40} holds',
  'The sale value of assets without a USD price',
  'The mid of the deepest pool',
]);
