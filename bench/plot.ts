import { scaleBand, scaleLinear } from '@visx/scale';
import type { Chart } from './part.ts';

const WIDTH = 900;
const HEIGHT = 420;
const FRAME = { left: 70, right: WIDTH - 20, top: 72, bottom: HEIGHT - 76 };
/** Colours that are legible on white and on black, since an SVG does not know its background. */
const INK = '#7d8590';
const COLOURS = ['#3b82f6', '#f97316', '#10b981'];
const LEGEND_STEP = 260;
const LINE_HEIGHT = 15;
const HALF_WHISKER = 4;

/** A chart as an SVG: medians as bars, with quartiles as whiskers, and a legend. */
export function chartSvg({ title, categories, vertical, series }: Chart): string {
  const rows = Object.entries(series);
  const most = Math.max(...rows.flatMap(([, values]) => values.map(({ high }) => high)));
  const y = scaleLinear({ domain: [0, most], range: [FRAME.bottom, FRAME.top], nice: true });
  const group = scaleBand({ domain: [...categories], range: [FRAME.left, FRAME.right], padding: 0.3 });
  const bar = scaleBand({ domain: rows.map(([name]) => name), range: [0, group.bandwidth()], padding: 0.1 });

  const parts = [
    text(WIDTH / 2, 20, title, 'font-size="15" font-weight="bold"'),
    text(0, 0, vertical, `transform="translate(26 ${(FRAME.top + FRAME.bottom) / 2}) rotate(-90)"`),
    ...y
      .ticks(6)
      .flatMap((tick) => [
        `<path d="M${FRAME.left} ${round(y(tick))}H${FRAME.right}" stroke="${INK}" stroke-opacity="${tick === 0 ? 1 : 0.25}"/>`,
        text(FRAME.left - 8, y(tick) + 4, String(tick), 'text-anchor="end"'),
      ]),
    ...categories.flatMap((category) => {
      const middle = (group(category) ?? 0) + group.bandwidth() / 2;
      const lines = category.match(/.{1,9}(?= |$)/g) ?? [category];
      return lines.map((line, index) =>
        text(middle, FRAME.bottom + 20 + index * LINE_HEIGHT, line.trim(), 'font-size="12"'),
      );
    }),
  ];
  for (const [index, [name, values]] of rows.entries()) {
    const colour = COLOURS[index % COLOURS.length] ?? INK;
    const legend = WIDTH / 2 + (index - rows.length / 2) * LEGEND_STEP;
    parts.push(`<rect x="${legend}" y="38" width="14" height="10" rx="2" fill="${colour}"/>`);
    parts.push(text(legend + 20, 48, name, 'text-anchor="start"'));
    for (const [category, { low, median, high }] of values.entries()) {
      const left = (group(categories[category] ?? '') ?? 0) + (bar(name) ?? 0);
      const [top, height] = [y(median), FRAME.bottom - y(median)].map(round);
      const at = round(left + bar.bandwidth() / 2);
      const cap = (value: number): string => `M${round(at - HALF_WHISKER)} ${round(y(value))}h${2 * HALF_WHISKER}`;
      parts.push(
        `<rect x="${round(left)}" y="${top}" width="${round(bar.bandwidth())}" height="${height}" fill="${colour}"/>`,
        `<path d="M${at} ${round(y(low))}V${round(y(high))}${cap(low)}${cap(high)}" stroke="${INK}" stroke-width="1.5"/>`,
      );
    }
  }
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}"`;
  return `${svg} font-family="system-ui, sans-serif" font-size="13" text-anchor="middle" fill="none">\n${parts.join('\n')}\n</svg>\n`;
}

const round = (pixels: number): number => Math.round(pixels * 10) / 10;

const text = (x: number, y: number, content: string, attributes = ''): string =>
  `<text x="${round(x)}" y="${round(y)}" fill="${INK}" ${attributes}>${content.replace(/[&<]/g, (sign) => (sign === '&' ? '&amp;' : '&lt;'))}</text>`;
