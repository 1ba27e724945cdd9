import { Check } from 'lucide-react';
import { Icon } from './icon.tsx';
import css from './steps.module.css';

const STEPS = ['Name your account', 'Name a first project', 'Create a key'];

/** The steps to a first key, and the present one. */
export const Steps = ({ at }: { readonly at: 1 | 2 | 3 }) => (
  <ol className={css.steps} aria-label="The way to a first key">
    {STEPS.map((step, index) => (
      <li
        key={step}
        className={index + 1 < at ? css.done : index + 1 === at ? css.current : css.next}
        aria-current={index + 1 === at ? 'step' : undefined}
      >
        {index + 1 < at ? <Icon of={Check} size="small" /> : `${index + 1}.`} {step}
      </li>
    ))}
  </ol>
);
