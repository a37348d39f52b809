/** A heading of a page that can be linked to. */
export interface Section {
  id: string;
  title: string;
  level: 2 | 3;
}

const heading = /<h([23])(?: id="([^"]+)")?>(.*?)<\/h\1>/g;

/** Gives every h2 and h3 without attributes an id and a link to itself. */
export function anchorHeadings(markup: string): { markup: string; sections: Section[] } {
  const sections: Section[] = [];
  const taken = new Set<string>();
  const anchored = markup.replace(heading, (_all, level: string, given: string | undefined, inner: string) => {
    const title = plainText(inner);
    const id = given ?? unique(slug(title), taken);
    taken.add(id);
    sections.push({ id, title, level: level === '2' ? 2 : 3 });
    return `<h${level} id="${id}">${inner} <a class="anchor" href="#${id}" aria-label="Link to ${title.replaceAll('"', '&quot;')}">#</a></h${level}>`;
  });
  return { markup: anchored, sections };
}

/** Markup without tags, still escaped. */
export const plainText = (markup: string): string =>
  markup
    .replace(/<[^>]+>/g, '')
    .replace(/\s+/g, ' ')
    .trim();

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replace(/&[a-z#0-9]+;/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');

function unique(id: string, taken: ReadonlySet<string>): string {
  let candidate = id;
  for (let n = 2; taken.has(candidate); n += 1) candidate = `${id}-${n}`;
  return candidate;
}
