import type { CfnManagedLoginBranding } from 'aws-cdk-lib/aws-cognito';

/** Colours of the portal's tokens that its sign-in pages have too; a test compares them. */
export const SIGN_IN_COLOURS = {
  light: {
    bg: '#fafbfc',
    raised: '#ffffff',
    line: '#e3e6eb',
    lineStrong: '#848b98',
    text: '#14171c',
    muted: '#586070',
  },
  dark: { bg: '#0e1013', raised: '#1a1e24', line: '#282d35', lineStrong: '#717987', text: '#eceff3', muted: '#a1a9b6' },
} as const;
export const SIGN_IN_INK = {
  light: { ink: '#191d24', inkHover: '#333a46', onInk: '#ffffff', accent: '#2853d4' },
  dark: { ink: '#eceff3', inkHover: '#ffffff', onInk: '#14171c', accent: '#8fb0ff' },
} as const;

/** The logo: one unit between two posts, in colours that are visible on light and on dark backgrounds. */
export const SIGN_IN_MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20" width="40" height="40">' +
  '<path d="M1 1h3.5v18H1zm14.5 0H19v18h-3.5z" fill="#7d8490"/><circle cx="10" cy="10" r="3.2" fill="#5a86f5"/></svg>';

/** A colour in the form of managed login: without the hash sign, and opaque. */
const opaque = (colour: string): string => `${colour.slice(1)}ff`;

type Mode = keyof typeof SIGN_IN_COLOURS;
const inBoth = (of: (mode: Mode) => object): object => ({ lightMode: of('light'), darkMode: of('dark') });

/** The settings of managed login that differ from Cognito's defaults. */
const SETTINGS = {
  categories: { global: { colorSchemeMode: 'DYNAMIC' } },
  componentClasses: {
    buttons: { borderRadius: 6 },
    focusState: inBoth((mode) => ({ borderColor: opaque(SIGN_IN_INK[mode].accent) })),
    input: {
      borderRadius: 6,
      ...inBoth((mode) => ({
        defaults: {
          backgroundColor: opaque(SIGN_IN_COLOURS[mode].raised),
          borderColor: opaque(SIGN_IN_COLOURS[mode].lineStrong),
        },
        placeholderColor: opaque(SIGN_IN_COLOURS[mode].muted),
      })),
    },
  },
  components: {
    form: {
      borderRadius: 12,
      logo: { enabled: true, formInclusion: 'IN', location: 'START', position: 'TOP' },
      ...inBoth((mode) => ({
        backgroundColor: opaque(SIGN_IN_COLOURS[mode].raised),
        borderColor: opaque(SIGN_IN_COLOURS[mode].line),
      })),
    },
    pageBackground: {
      image: { enabled: false },
      ...inBoth((mode) => ({ color: opaque(SIGN_IN_COLOURS[mode].bg) })),
    },
    pageText: inBoth((mode) => ({
      headingColor: opaque(SIGN_IN_COLOURS[mode].text),
      bodyColor: opaque(SIGN_IN_COLOURS[mode].text),
      descriptionColor: opaque(SIGN_IN_COLOURS[mode].muted),
    })),
    primaryButton: inBoth((mode) => {
      const { ink, inkHover, onInk } = SIGN_IN_INK[mode];
      const look = (ground: string) => ({ backgroundColor: opaque(ground), textColor: opaque(onInk) });
      return { defaults: look(ink), hover: look(inkHover), active: look(inkHover) };
    }),
  },
};

/** The portal's logo and colours for the pages of Cognito's managed login, in the light and the dark scheme. */
export const signInLook = () =>
  ({
    settings: SETTINGS,
    assets: [
      {
        category: 'FORM_LOGO',
        colorMode: 'DYNAMIC',
        extension: 'SVG',
        bytes: Buffer.from(SIGN_IN_MARK).toString('base64'),
      },
    ],
  }) satisfies Partial<ConstructorParameters<typeof CfnManagedLoginBranding>[2]>;
