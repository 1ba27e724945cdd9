import { SunMoon } from 'lucide-react';
import { MenuButton } from '../components/menu.tsx';
import { useColours } from './use-colours.ts';

/** The colours, where no person has a menu. */
export const ColoursButton = () => <MenuButton label="Colours" icon={SunMoon} groups={[useColours()]} />;
