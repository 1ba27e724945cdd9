import { SunMoon } from 'lucide-react';
import { MenuButton } from '../components/menu.tsx';
import { useColours } from './use-colours.ts';

/** The choice of colours on pages without the menu of a person. */
export const ColoursButton = () => <MenuButton label="Colours" icon={SunMoon} groups={[useColours()]} />;
