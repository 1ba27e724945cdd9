/**
 * `npm run components`: pictures of the page of all components, in docs/images/components, at three widths, and of what
 * lies over a page, opened one after the other. To commit
 * them is to say that somebody has looked at them. With `--compare` the page is compared by pixels with that of the
 * commit that changed the pictures last, both by the same browser, since another one draws letters otherwise. Where it
 * differs, exit status 1, and the pictures are in a folder that git ignores. It runs the portal on free ports.
 */
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { findBrowser, launch } from '../support/chromium.ts';
import { end } from '../support/processes.ts';
import { overlaysOf, pictureOf } from './overlays.ts';
import { NOW_MS, startClockedSite } from './site.ts';

const WIDTHS_PX = [390, 768, 1280] as const;
const SEEN = 'docs/images/components';
const COMPARED = 'node_modules/.cache/components';
/** A pixel differs when one of its channels does by more than this: pictures are compressed. */
const MOST_OF_255 = 40;
/** The share of the pixels that may differ: less than the corners of the buttons. */
const MOST_SHARE = 0.0001;

const { COMPONENTS_FOLDER } = process.env;
const executable = findBrowser();
if (executable === undefined) throw new Error('No browser: install chromium, or set CHROMIUM_PATH.');
const browser = await launch(executable);
try {
  if (process.argv.includes('--compare')) await compare();
  else await takeAll(COMPONENTS_FOLDER ?? SEEN);
} finally {
  await browser.close();
}

/** Takes the pictures of this state, at every width, into a folder. */
async function takeAll(folder: string): Promise<void> {
  const site = await startClockedSite(NOW_MS);
  try {
    await mkdir(folder, { recursive: true });
    for (const width of WIDTHS_PX) {
      const page = await open(`${site.portalUrl}/components`, width);
      await writeFile(`${folder}/${width}.webp`, await pictureOf(page));
      await writeFile(`${folder}/${width}-open.webp`, await overlaysOf(page, browser));
      await page.close();
    }
  } finally {
    await end(site);
  }
}

async function compare(): Promise<void> {
  const [before, now] = [`${COMPARED}/before`, `${COMPARED}/now`];
  const commit = execFileSync('git', ['log', '-1', '--format=%h', '--', SEEN], { encoding: 'utf8' }).trim();
  process.stdout.write(`Compared with ${commit}, the last commit with new pictures in ${SEEN}\n`);
  const checkout = join(await mkdtemp(join(tmpdir(), 'components-')), 'checkout');
  try {
    execFileSync('git', ['worktree', 'add', '--quiet', '--detach', checkout, commit]);
    await symlink(resolve('node_modules'), join(checkout, 'node_modules'));
    const there = { cwd: checkout, env: { ...process.env, COMPONENTS_FOLDER: resolve(before) } };
    execFileSync('node', ['bin/generate.ts'], there);
    execFileSync('node', ['test/screenshots/components.ts'], there);
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', checkout]);
    await rm(resolve(checkout, '..'), { recursive: true });
  }
  await takeAll(now);
  for (const name of WIDTHS_PX.flatMap((width) => [`${width}`, `${width}-open`])) {
    const [a, b] = await Promise.all([before, now].map((folder) => readFile(`${folder}/${name}.webp`)));
    const difference = a && b && (await differenceOf(a, b));
    process.stdout.write(`${name}  ${difference ?? 'as it was'}\n`);
    if (difference !== undefined) process.exitCode = 1;
  }
  if (process.exitCode === 1) process.stdout.write(`Look at ${COMPARED}. If it is meant so: npm run components\n`);
}

/** The page at a width, with all that it is made of. */
async function open(url: string, width: number): Promise<Page> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, timezoneId: 'UTC', reducedMotion: 'reduce' });
  await page.clock.setFixedTime(NOW_MS);
  await page.goto(url, { waitUntil: 'networkidle' });
  await page.getByRole('heading', { name: 'Components' }).waitFor();
  await page.evaluate(() => document.fonts.ready);
  return page;
}

/** What differs, in words; undefined: nothing that people see. */
async function differenceOf(before: Buffer, after: Buffer): Promise<string | undefined> {
  const page = await browser.newPage();
  try {
    const images = [before, after].map((image) => `data:image/webp;base64,${image.toString('base64')}`);
    const found = await page.evaluate(comparePictures, { images, mostOf255: MOST_OF_255 });
    if (!('share' in found)) return `is ${found.after} now, was ${found.before}`;
    return found.share > MOST_SHARE
      ? `${(found.share * 100).toFixed(2)} % of it, from line ${found.top} on`
      : undefined;
  } finally {
    await page.close();
  }
}

/** Runs in the page. The share of pixels that differ, and the first line with one; or the sizes, if these differ. */
async function comparePictures({ images, mostOf255 }: { readonly images: string[]; readonly mostOf255: number }) {
  const [before, after] = await Promise.all(
    images.map(async (address) => {
      const image = new Image();
      image.src = address;
      await image.decode();
      const { width, height } = image;
      const context = new OffscreenCanvas(width, height).getContext('2d');
      context?.drawImage(image, 0, 0);
      return { width, height, size: `${width} × ${height}`, data: context?.getImageData(0, 0, width, height).data };
    }),
  );
  if (!before?.data || !after?.data) throw new Error('a picture cannot be drawn');
  if (before.size !== after.size) return { before: before.size, after: after.size };
  let different = 0;
  let top = before.height;
  for (let i = 0; i < before.data.length; i += 4) {
    const isAlike = [0, 1, 2].every(
      (channel) => Math.abs((before.data?.[i + channel] ?? 0) - (after.data?.[i + channel] ?? 0)) <= mostOf255,
    );
    if (isAlike) continue;
    different++;
    top = Math.min(top, Math.floor(i / 4 / before.width));
  }
  return { share: different / (before.width * before.height), top };
}
