import { type Hex, hexToBigInt, toFunctionSelector } from 'viem';
import { createNodeClient } from '../../sandbox/rpc/nodeClient.ts';
import type { CheckedToken } from './describeAnswers.ts';
import { type Condition, templates } from './sentenceTemplates.ts';

/** Splits a text into sentences of one template each. Text that matches no template is the last sentence. */
function splitSentences(text: string): { sentence: string; condition: Condition | undefined; groups: string[] }[] {
  const found = templates
    .map(([template, condition]) => ({ match: new RegExp(`^${template}(?= |$)`).exec(text), condition }))
    .filter(({ match }) => match)
    .sort((a, b) => (b.match?.[0].length ?? 0) - (a.match?.[0].length ?? 0))[0];
  if (!found?.match) return text === '' ? [] : [{ sentence: text, condition: undefined, groups: [] }];
  const [sentence, ...groups] = found.match;
  return [{ sentence, condition: found.condition, groups }, ...splitSentences(text.slice(sentence.length).trimStart())];
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
  const texts = [
    ...answer.reasons,
    answer.risk_profile.transferability.note,
    ...Object.values(answer.flags).map(({ reason }) => reason),
  ];
  const wrong = new Set<string>();
  for (const { sentence, condition, groups } of texts.flatMap(splitSentences)) {
    if (!condition) wrong.add(`no template: ${sentence}`);
    else if (!(await condition({ truth, answer, testToken, readsTrue, readsNumber }, ...groups)))
      wrong.add(`untrue: ${sentence}`);
  }
  return [...wrong];
}
