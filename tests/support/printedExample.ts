const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** The text of a code block on a page of the documentation. Of blocks with the same caption `index` chooses one. */
export async function printedExample(
  baseUrl: string,
  label: string,
  { path = '/guides/first-call', index = 0 } = {},
): Promise<string> {
  const page = await (await fetch(baseUrl + path)).text();
  const block =
    page.split(`<figcaption>${label}</figcaption>`)[index + 1]?.split('<code>')[1]?.split('</code>')[0] ?? '';
  return block.replaceAll(/<[^>]+>/g, '').replaceAll(/&([^;]+);/g, (whole, name: string) => entities[name] ?? whole);
}
